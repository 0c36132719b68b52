import ManagedModel
package import SQLite
package import StoreRequests

/// A derived attribute's expression: a path of relationships, and a value of the objects at its end.
///
/// Supports `author.name`, `canonical:(author.name)` and other functions of a text, `pages.@count`, and `@sum`, `@avg`,
/// `@min`, `@max` of an attribute, each in the forms `pages.@sum.length`, `pages.length.@sum` and `sum:(pages.length)`. A
/// filter applies to the objects at the end. Expressions of the object's own attributes have no path: see
/// ``ComputedColumn``.
package struct Derivation {
  package let entity: EntityLayout
  package let attributeName: String
  /// The derived attribute's own column.
  package let column: Identifier
  /// The path; it has at least one relationship.
  package let hops: [Hop]
  package let value: Value
  package let filter: Filter?

  /// A relationship of the path: its destination table, and the place of its key.
  package struct Hop {
    package let destination: Identifier
    package let link: Link

    package enum Link {
      /// A key in the row itself.
      case own(key: Identifier)
      /// A key in the destination's row.
      case back(key: Identifier)
      case join(table: Identifier, own: Identifier, other: Identifier)
    }

    package var isToMany: Bool { if case .own = link { false } else { true } }
  }

  package enum Value {
    case column(Identifier, StringFunction?)
    case count
    case aggregate(Aggregate, Identifier)

    package var column: Identifier? {
      switch self {
      case .column(let column, _), .aggregate(_, let column): column
      case .count: nil
      }
    }
  }

  package typealias Aggregate = DerivationExpression.Aggregate

  /// A condition on the rows at the end, and the columns that it reads.
  package struct Filter {
    package let sql: String
    package let columns: [Identifier]
  }

  /// `nil` if the attribute is not derived, its expression has no relationship, or the expression is not supported.
  package init?(_ attribute: AttributeLayout, of entity: EntityLayout, in layout: StoreLayout) {
    guard let derivation = attribute.description.derivation, let column = attribute.column?.name,
      let expression = DerivationExpression(derivation.expression)
    else { return nil }
    var hops: [Hop] = []
    var end = entity
    var path = expression.path[...]
    while let name = path.first, let next = Derivation.hop(name, of: end, in: layout) {
      hops.append(next.hop)
      end = next.destination
      path = path.dropFirst()
    }
    guard !hops.isEmpty else { return nil }
    switch (expression.operation, path.isEmpty) {
    case (.count, true): value = .count
    case (.aggregate(let aggregate), false):
      guard let column = end.attributeColumn(Array(path))?.name else { return nil }
      value = .aggregate(aggregate, column)
    case (.value(let function), false):
      guard let column = end.attributeColumn(Array(path))?.name else { return nil }
      value = .column(column, function)
    default: return nil
    }
    if case .value = expression.operation {
      guard !hops.contains(where: \.isToMany), derivation.filteringPredicate == nil else { return nil }
    } else {
      guard hops.contains(where: \.isToMany) else { return nil }
    }
    if let format = derivation.filteringPredicate {
      guard let filter = Filter(format, of: end) else { return nil }
      self.filter = filter
    } else {
      filter = nil
    }
    self.entity = entity
    attributeName = attribute.description.name
    self.column = column
    self.hops = hops
  }

  /// Whether the value needs a function that only this library registers.
  package var needsOurFunctions: Bool { if case .column(_, _?) = value { true } else { false } }

  private static func hop(_ name: String, of entity: EntityLayout, in layout: StoreLayout)
    -> (hop: Hop, destination: EntityLayout)?
  {
    let destinationName: String
    let link: Hop.Link
    switch entity.property(named: name) {
    case .toOne(let relationship):
      destinationName = relationship.destinationName
      link = .own(key: relationship.key)
    case .toMany(let relationship):
      destinationName = relationship.destinationName
      switch relationship.storage {
      case .key(let side): link = .back(key: side.key)
      case .joinTable(let side): link = .join(table: side.table, own: side.ownColumn, other: side.otherColumn)
      }
    case .attribute, nil: return nil
    }
    guard let destination = layout.entity(named: destinationName) else { return nil }
    return (Hop(destination: destination.table, link: link), destination)
  }
}

extension Derivation.Filter {
  /// `nil` for a predicate that cannot be translated.
  fileprivate init?(_ format: String, of entity: EntityLayout) {
    var columns: [Identifier] = []
    let sql = PartialIndexPredicate.sql(format) { path in
      let column = entity.column(ofPath: path)
      if let column, !columns.contains(column) { columns.append(column) }
      return column
    }
    guard let sql else { return nil }
    self.init(sql: sql, columns: columns)
  }
}
