import ErrorReporting
import ManagedModel
import StoreRequests

/// Copies all rows of one engine's store into a new store of another engine, in the order of their keys.
///
/// Memory depends on the largest object, and on the largest relationship of one object. It needs two readings: rows first, then the
/// members of to-many relationships, which refer to rows.
struct RowTransfer {
  private let source: any TransferSnapshot
  private let target: any RowLoad
  private let progress: () throws -> Void
  private(set) var report = TransferReport()
  /// The keys of rows whose to-one relationship leads to no object.
  private var dangling: [RelationshipName: Set<Int64>] = [:]

  /// A relationship by the entity that declares it.
  struct RelationshipName: Hashable {
    let entity: String
    let name: String
  }

  /// - Parameter progress: called after each row and each owner of a relationship; its error ends the copy.
  init(from source: any TransferSnapshot, to target: any RowLoad, progress: @escaping () throws -> Void) {
    self.source = source
    self.target = target
    self.progress = progress
  }

  mutating func run() throws {
    let roots = source.entities.entities.filter { $0.lineage.count == 1 }
    for root in roots { try target.reserve(source.lastKey(of: root), of: target.entities.existingEntity(root.name)) }
    for root in roots { try copyRows(of: root) }
    // An order of the other side of a pair needs the pair.
    try copyMembers { $0.storage.isListed || ($0.storage == .key && $0.description.isOrdered) }
    try copyMembers { $0.storage == .listedByInverse && $0.description.isOrdered }
  }

  // MARK: Rows

  private mutating func copyRows(of root: StoreEntity) throws {
    let plan = RowPlan(root, source.entities)
    for (kind, relationship) in plan.toOne {
      let name = RelationshipName(entity: kind.name, name: relationship.description.name)
      dangling[name] = try source.keysWithoutObject(relationship, of: kind)
    }
    var part = TransferPart()
    let rows = try source.rows(plan.request)
    defer { rows.close() }
    while try rows.next() {
      guard let columns = plan.columns[rows.entity], let entity = source.entities.entity(numbered: rows.entity) else {
        report.foreignRows += 1
        continue
      }
      let own = try target.entities.existingEntity(entity.name)
      let row = CopiedRow(columns.places)
      for column in columns.all { try read(column, of: rows, into: row) }
      part.insert(row, ObjectKey(entity: own.number, key: rows.key), columns.selections)
      report.rows += 1
      if part.isFull { try write(&part) }
      try progress()
    }
    try write(&part)
  }

  private mutating func read(_ column: RowPlan.Column, of rows: any ObjectRows, into row: CopiedRow) throws {
    switch column.property {
    case .attribute(let attribute):
      for (index, leaf) in attribute.leaves.enumerated() {
        let value = rows.value(column.first + index)
        if value == .null, leaf.attribute.allowsExternalBinaryDataStorage,
          try source.hasUnreadableValue(index, of: attribute, rows.object)
        {
          report.missingFiles += 1
        }
        if case .text(let text) = value, text.unicodeScalars.contains("\u{FFFD}"),
          try source.hasRepairedText(index, of: attribute, rows.object)
        {
          report.repairedTexts += 1
        }
        let stored = target.stored(value, as: leaf.attribute.type)
        if !stored.isSameNumber(as: value) {
          guard report.note(stored, as: leaf.attribute.type) else {
            throw TransferError(
              "the value of \(quoted(leaf.path.joined(separator: "."))) is too large for a number of single precision",
              at: source.entities.entity(numbered: rows.entity).map { "\($0.name)/p\(rows.key)" })
          }
        }
        row.append(stored)
      }
    case .toOne(let relationship):
      guard let key = rows.integer(column.first) else {
        row.append(.null)
        row.append(.null)
        return
      }
      let name = RelationshipName(entity: column.declaringEntity, name: relationship.description.name)
      if dangling[name]?.contains(rows.key) == true {
        report.danglingKeys += 1
        row.append(.null)
        row.append(.null)
        return
      }
      let number = rows.integer(column.first + 1).flatMap { Int32(exactly: $0) } ?? relationship.destinationNumber
      let entity = source.entities.entity(numbered: number)?.name ?? relationship.destinationName
      row.append(.integer(key))
      row.append(.integer(Int64(try target.entities.existingEntity(entity).number)))
    case .toMany: break
    }
  }

  private func write(_ part: inout TransferPart) throws {
    defer { part = TransferPart() }
    guard !part.changes.isEmpty else { return }
    do { try target.write(part.changes, keys: part.keys) } catch let error as SaveError {
      throw TransferError(error, at: part.place(in: target.entities))
    }
  }

  // MARK: To-many relationships

  private mutating func copyMembers(_ isWanted: (StoreRelationship) -> Bool) throws {
    for entity in source.entities.entities {
      for case .toMany(let relationship) in entity.properties
      // A relationship with a transient inverse has a place in neither store.
      where relationship.declaringEntityName == entity.name && relationship.inverse?.isTransient != true
        && isWanted(relationship)
      {
        try copyMembers(of: relationship, entity)
      }
    }
  }

  /// The owners whose members one query reads.
  private static let ownersPerQuery = 256

  private mutating func copyMembers(of relationship: StoreRelationship, _ entity: StoreEntity) throws {
    let rows = try source.rows(
      FetchRequest(entityName: entity.name, sortTerms: [SortTerm(expression: .object(FetchPath()))]))
    defer { rows.close() }
    var owners: [ObjectKey] = []
    while try rows.next() {
      owners.append(rows.object)
      if owners.count == Self.ownersPerQuery {
        try copyMembers(of: relationship, entity, owners)
        owners = []
      }
      try progress()
    }
    if !owners.isEmpty { try copyMembers(of: relationship, entity, owners) }
  }

  private func copyMembers(of relationship: StoreRelationship, _ entity: StoreEntity, _ owners: [ObjectKey]) throws {
    let entities = Dictionary(owners.map { ($0.key, $0.entity) }, uniquingKeysWith: { first, _ in first })
    let destination = try target.entities.existingEntity(relationship.destinationName).number
    var part = TransferPart()
    var owner: Int64?
    var members: [ChangeSet.Reference] = []
    func finish() throws {
      defer { members = [] }
      guard let owner, !members.isEmpty, let number = entities[owner],
        let name = source.entities.entity(numbered: number)?.name
      else { return }
      part.relate(
        ChangeSet.RelationshipChange(
          owner: .existing(ObjectKey(entity: try target.entities.existingEntity(name).number, key: owner)),
          relationship: relationship.description.name,
          added: relationship.storage.isListed ? members : [],
          order: relationship.description.isOrdered ? members : nil), memberCount: members.count)
      if part.isFull { try write(&part) }
    }
    let rows = try source.related(to: (entity.name, relationship.description.name), owners: owners)
    defer { rows.close() }
    while try rows.next() {
      if rows.owner != owner {
        try finish()
        owner = rows.owner
      }
      members.append(.existing(ObjectKey(entity: destination, key: rows.key)))
    }
    try finish()
    try write(&part)
  }
}

extension StoreValue {
  /// Whether the values are equal, an integer and a double with the same number included.
  fileprivate func isSameNumber(as other: StoreValue) -> Bool {
    switch (self, other) {
    case (.real(let left), .real(let right)): left == right || (left.isNaN && right.isNaN)
    case (.integer(let integer), .real(let real)), (.real(let real), .integer(let integer)): Double(integer) == real
    default: self == other
    }
  }
}
