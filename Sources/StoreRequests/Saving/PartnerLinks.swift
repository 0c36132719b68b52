/// The keys of a one-to-one relationship that disagree after a save, and what they are to be.
///
/// Both objects of a pair have a key. A save may write only one of the two: an insertion overwrites a row, or somebody else has
/// saved meanwhile. Keys that the save has written decide. Of several such keys, two that agree come first, then the newest object.
package struct PartnerLinks {
  /// The side of an object; a relationship that is its own inverse has only the first one.
  package enum Side: Int, Sendable { case first, second }

  package struct Change: Sendable, Hashable {
    package let side: Side
    package let object: ObjectKey
    /// The object that the key is to lead to; `nil` for none.
    package let partner: ObjectKey?
  }

  private struct Place: Hashable {
    let side: Side
    let key: Int64
  }

  private struct Link {
    let entity: Int32
    /// The key as it is now; `nil` for `NULL`.
    let destination: Int64?
  }

  private let isReflexive: Bool
  private var links: [Place: Link] = [:]

  /// - Parameter isReflexive: whether the relationship is its own inverse.
  package init(isReflexive: Bool) { self.isReflexive = isReflexive }

  package var isEmpty: Bool { links.isEmpty }

  /// Notes a key of a pair that disagrees.
  ///
  /// The caller notes both keys of a pair, and each other key that leads to an object with a written key.
  package mutating func note(_ object: ObjectKey, _ side: Side, leadsTo destination: Int64?) {
    links[Place(side: side, key: object.key)] = Link(entity: object.entity, destination: destination)
  }

  /// The other side than a given one.
  package func inverse(of side: Side) -> Side { isReflexive ? side : side == .first ? .second : .first }

  /// The keys to change. Keys that are to lead to no object come first.
  ///
  /// - Parameters:
  ///   - written: the objects of each side whose keys the save has written.
  ///   - isRequired: whether an object must have a partner. Such an object keeps its partner if the save gives the partner no other one.
  package func changes(written: [[Int64]], isRequired: (Side) -> Bool) -> [Change] {
    let written = written.map { Set($0) }
    func isWritten(_ side: Side, _ key: Int64) -> Bool { written[isReflexive ? 0 : side.rawValue].contains(key) }
    let partners = partners(isWritten, isRequired)
    let changes = links.compactMap { place, link -> Change? in
      let target = target(of: place, link)
      // A key that the save has not written stays, unless its object has another partner now.
      let isFree = target.map { partners[$0] == nil && !isWritten($0.side, $0.key) } ?? true
      let rest = isFree && !isWritten(place.side, place.key) ? link.destination : nil
      let wanted = partners[place]?.key ?? rest
      guard wanted != link.destination else { return nil }
      let partner = partners[place].flatMap { place in
        links[place].map { ObjectKey(entity: $0.entity, key: place.key) }
      }
      return Change(side: place.side, object: ObjectKey(entity: link.entity, key: place.key), partner: partner)
    }
    return changes.sorted {
      ($0.partner == nil ? 0 : 1, $0.side.rawValue, $0.object.key)
        < ($1.partner == nil ? 0 : 1, $1.side.rawValue, $1.object.key)
    }
  }

  private func target(of place: Place, _ link: Link) -> Place? {
    link.destination.map { Place(side: inverse(of: place.side), key: $0) }
  }

  /// A key that asks for a partner.
  private struct Claim {
    let owner: Place
    let partner: Place
    /// A smaller number comes first.
    let rank: Int
  }

  /// The partners of objects, each noted for both of the two.
  private func partners(
    _ isWritten: (Side, Int64) -> Bool, _ isRequired: (Side) -> Bool
  ) -> [Place: Place] {
    let claims = links.compactMap { place, link -> Claim? in
      guard let partner = target(of: place, link) else { return nil }
      guard isWritten(place.side, place.key) else {
        return isRequired(place.side) ? Claim(owner: place, partner: partner, rank: 2) : nil
      }
      // A partner that is not noted leads back.
      let isMutual = links[partner].map { $0.destination == place.key } ?? true
      return Claim(owner: place, partner: partner, rank: isMutual ? 0 : 1)
    }
    var partners: [Place: Place] = [:]
    for claim in claims.sorted(by: Self.isBefore) where partners[claim.owner] == nil && partners[claim.partner] == nil {
      partners[claim.owner] = claim.partner
      partners[claim.partner] = claim.owner
    }
    return partners
  }

  private static func isBefore(_ left: Claim, _ right: Claim) -> Bool {
    (left.rank, left.owner.side.rawValue, -left.owner.key) < (right.rank, right.owner.side.rawValue, -right.owner.key)
  }
}
