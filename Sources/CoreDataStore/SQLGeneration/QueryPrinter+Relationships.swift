import ManagedModel
import SQLite
import StoreRequests

extension QueryPrinter {
  /// A correlated subquery over the objects of a to-many relationship.
  ///
  /// - Parameter select: prints the selected value, which may use the variable.
  mutating func subquery(
    _ path: FetchPath, _ relationshipName: String, _ variable: FetchVariable, condition: FetchExpression?, depth: Int,
    select: (inout QueryPrinter) throws -> String
  ) throws -> String {
    let owner = try key(path)
    let outer = allowsGroupAggregates
    allowsGroupAggregates = false
    defer { allowsGroupAggregates = outer }
    let (row, ownerColumn) = try openMembers(of: owner.entity, relationshipName, variable)
    let kind = kindFilter(row.entity, row)
    let selected = try select(&self)
    let filter = try condition.map { try conjuncts($0, depth: depth).map { " AND \($0)" }.joined() } ?? ""
    return "(SELECT \(selected) FROM \(close(variable)) WHERE \(ownerColumn) = \(owner.sql)\(kind)\(filter))"
  }

  /// Opens a variable over the objects of a to-many relationship of all owners. Returns the column with the owner's
  /// key.
  private mutating func openMembers(
    of entity: EntityLayout, _ relationshipName: String, _ variable: FetchVariable
  ) throws -> (row: Row, ownerColumn: String) {
    let relationship = try layout.toMany(relationshipName, of: entity)
    let destination = try layout.destination(of: relationship)
    switch relationship.storage {
    case .key(let side):
      let row = open(variable, over: destination, named: relationshipName)
      return (row, row.column(side.key))
    case .joinTable(let side):
      let pairs = nextAlias()
      let row = open(variable, over: destination, named: relationshipName) { alias in
        "\(side.table) \(pairs) JOIN \(destination.table) \(alias) ON \(alias).Z_PK = \(pairs).\(side.otherColumn)"
      }
      return (row, "\(pairs).\(side.ownColumn)")
    }
  }

  // MARK: From the members to their owners

  /// `owner IN (owners of the objects that satisfy the condition)`. An index that finds the objects also finds their
  /// owners.
  mutating func ownerTest(
    _ path: FetchPath, _ relationshipName: String, _ variable: FetchVariable, condition: FetchExpression, depth: Int
  ) throws -> String {
    let owner = try key(path)
    let (row, ownerColumn) = try openMembers(of: owner.entity, relationshipName, variable)
    let kind = kindFilter(row.entity, row)
    let filter = try conjuncts(condition, depth: depth).joined(separator: " AND ")
    return "\(owner.sql) IN (SELECT \(ownerColumn) FROM \(close(variable)) WHERE \(filter)\(kind))"
  }

  /// Whether an index finds the few objects of a relationship that satisfy a condition, whoever their owners are.
  func canUseIndex(
    _ condition: FetchExpression, _ variable: FetchVariable, _ path: FetchPath, _ relationshipName: String
  ) throws -> Bool {
    guard condition.speaksOnly(of: [variable]) else { return false }
    switch condition {
    case .and(let terms): return try terms.contains { try canUseIndex($0, variable, path, relationshipName) }
    case .comparison(.equal, let left, let right):
      switch (left, right) {
      case (.object(let object), .objectConstant(.some)), (.objectConstant(.some), .object(let object)):
        return object.isIndexed(for: variable)
      case (.attribute(let owner, let name, let element), .constant(let value)),
        (.constant(let value), .attribute(let owner, let name, let element)):
        return try value != .null && owner == FetchPath(variable) && element.isEmpty
          && isIndexed(name, of: members(of: relationshipName, at: path))
      default: return false
      }
    case .objectMembership(let object, _): return object.isIndexed(for: variable)
    case .membership(.attribute(let owner, let name, let element), let values):
      return try !values.contains(.null) && owner == FetchPath(variable) && element.isEmpty
        && isIndexed(name, of: members(of: relationshipName, at: path))
    default: return false
    }
  }

  /// The entity of a relationship's objects; `nil` for a relationship of an inner variable, whose entity is not known
  /// here.
  func members(of relationshipName: String, at path: FetchPath) throws -> EntityLayout? {
    guard var entity = entity(of: path.variable) else { return nil }
    for step in path.steps {
      if let cast = step.castTo { entity = try layout.existingEntity(cast) }
      entity = try layout.destination(of: layout.toOne(step.relationship, of: entity))
    }
    if let cast = path.castTo { entity = try layout.existingEntity(cast) }
    return try layout.destination(of: layout.toMany(relationshipName, of: entity))
  }

  /// Whether an attribute is the first column of an index.
  private func isIndexed(_ name: String, of entity: EntityLayout?) -> Bool {
    (entity?.lineage ?? []).compactMap { layout.entity(named: $0)?.description }.contains { description in
      description.uniquenessConstraints.contains { $0.first == name }
        || description.fetchIndexes.contains { index in
          index.partialIndexPredicate == nil && index.elements.first?.kind == .binary
            && index.elements.first?.subject == .property(name)
        }
    }
  }
}

extension FetchPath {
  /// Whether the path is the variable itself, or one of its keys, which is indexed.
  fileprivate func isIndexed(for variable: FetchVariable) -> Bool {
    self.variable == variable && castTo == nil && steps.count <= 1 && steps.allSatisfy { $0.castTo == nil }
  }
}
