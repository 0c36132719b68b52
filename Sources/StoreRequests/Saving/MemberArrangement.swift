/// The place of a member among the members of its owner, in an ordered relationship.
package struct MemberPlace: Equatable, Sendable {
  package let member: Int64
  /// `nil` for a member that has no place yet.
  package let place: Int64?

  package init(member: Int64, place: Int64?) {
    self.member = member
    self.place = place
  }
}

/// The members of an owner in a wanted order, with as many of their places as possible (CD-3.4).
///
/// A member that the list lacks, for example because another context or process added it, follows the listed members. Such members keep
/// their present order.
package struct MemberArrangement {
  /// All members, in their order.
  package let members: [MemberPlace]
  /// The members that get another place, in their order.
  package let moved: [(member: Int64, place: Int64)]

  /// Arranges members.
  ///
  /// Cost: linear, and little for each member before the first one that has to move. So a list that grows at its end is cheap.
  ///
  /// - Parameters:
  ///   - present: the members in the order of their places. Those without a place come first.
  ///   - wanted: the list.
  ///   - last: a member that comes after all others.
  package init(_ present: [MemberPlace], as wanted: [Int64], last: Int64? = nil) {
    let unplaced = present.prefix { $0.place == nil }
    let placed = present[unplaced.endIndex...]
    let kept = last == nil ? placed.prefix(Self.countInOrder(placed, wanted)) : []
    let rest = unplaced + placed.dropFirst(kept.count)
    self =
      Self(after: kept, rest, as: wanted.dropFirst(kept.count))
      ?? Self(all: Self.order(present[...], wanted[...], last))
  }

  /// The number of members at the beginning that may keep their places.
  private static func countInOrder(_ placed: ArraySlice<MemberPlace>, _ wanted: [Int64]) -> Int {
    var (count, last) = (0, Int64(0))
    for (own, wanted) in zip(placed, wanted) {
      guard own.member == wanted, let place = own.place, place > last, place <= OrderKeys.limit else { break }
      (count, last) = (count + 1, place)
    }
    return count
  }

  /// Arranges the members after those that are in order already; `nil` if these have to move to make room.
  private init?(after kept: ArraySlice<MemberPlace>, _ rest: ArraySlice<MemberPlace>, as wanted: ArraySlice<Int64>) {
    guard let end = kept.last?.place else { return nil }
    let ordered = Self.order(rest, wanted, nil)
    let places = OrderKeys.assign([end] + ordered.map(\.place))
    guard places.first == end else { return nil }
    self.init(kept, ordered, places.dropFirst())
  }

  private init(all ordered: [MemberPlace]) { self.init([], ordered, OrderKeys.assign(ordered.map(\.place))[...]) }

  private init(_ kept: ArraySlice<MemberPlace>, _ ordered: [MemberPlace], _ places: ArraySlice<Int64>) {
    members = kept + zip(ordered, places).map { MemberPlace(member: $0.member, place: $1) }
    moved = zip(ordered, places).compactMap { $0.place == $1 ? nil : ($0.member, $1) }
  }

  /// The members in the wanted order, with their present places.
  private static func order(
    _ present: ArraySlice<MemberPlace>, _ wanted: ArraySlice<Int64>, _ last: Int64?
  ) -> [MemberPlace] {
    let current = Dictionary(present.lazy.map { ($0.member, $0) }, uniquingKeysWith: { first, _ in first })
    var seen: Set<Int64> = []
    var members = (wanted.compactMap { current[$0] } + present).filter { seen.insert($0.member).inserted }
    if let last, let member = current[last] {
      members.removeAll { $0.member == last }
      members.append(member)
    }
    return members
  }
}
