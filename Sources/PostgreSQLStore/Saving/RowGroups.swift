import StoreRequests

/// Rows to write, gathered by their shape: one statement writes a group.
///
/// A group is gathered when it is asked for, so that the server can write one while the next is gathered.
struct RowGroups {
  struct Row {
    let key: Int64
    /// The version that the row must have; `nil` for any version.
    var version: Int64?
    let shape: RowShape
    /// Whether another change of the save already counts as the row's change.
    var isCounted = false
    let source: any RowSource
  }

  /// Rows of one shape.
  final class Group {
    let rows: RowGroup
    let isCounted: Bool
    /// The indexes of the rows among all rows.
    fileprivate(set) var indexes: [Int] = []

    fileprivate init(_ kind: Kind, in layout: StoreLayout, writesDerived: Bool) throws {
      rows = try RowGroup(kind.shape, in: layout, writesDerived: writesDerived)
      isCounted = kind.isCounted
    }
  }

  fileprivate struct Kind: Hashable {
    let shape: RowShape
    let isCounted: Bool
  }

  private let layout: StoreLayout
  private let writesDerived: Bool
  private let count: Int
  private let row: (_ index: Int) throws -> Row?
  private var groups: [Kind: Group] = [:]
  /// The kinds in the order of their first rows.
  private var kinds: [Kind] = []
  private var index = 0

  /// - Parameters:
  ///   - count: the number of rows.
  ///   - row: gives a row by its index; `nil` for one that is not written.
  init(_ layout: StoreLayout, writesDerived: Bool = false, count: Int, row: @escaping (_ index: Int) throws -> Row?) {
    self.layout = layout
    self.writesDerived = writesDerived
    self.count = count
    self.row = row
  }

  /// The next full group, then the groups that are not full; `nil` at the end.
  ///
  /// - Throws: the errors of the rows' sources.
  mutating func next() throws -> Group? {
    while index < count {
      defer { index += 1 }
      guard let row = try row(index) else { continue }
      let kind = Kind(shape: row.shape, isCounted: row.isCounted)
      let group = try group(kind)
      try group.rows.add(row.key, version: row.version, row.source)
      group.indexes.append(index)
      guard group.rows.isFull else { continue }
      groups[kind] = nil
      kinds.removeAll { $0 == kind }
      return group
    }
    return kinds.isEmpty ? nil : groups.removeValue(forKey: kinds.removeFirst())
  }

  private mutating func group(_ kind: Kind) throws -> Group {
    if let known = groups[kind] { return known }
    let group = try Group(kind, in: layout, writesDerived: writesDerived)
    groups[kind] = group
    kinds.append(kind)
    return group
  }
}
