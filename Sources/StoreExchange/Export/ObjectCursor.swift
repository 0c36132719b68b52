import CoreDataStore
import ErrorReporting
import ManagedModel
import SQLite
import StoreRequests

/// A cursor over the objects of a request.
///
/// An absent property means no value. A property is written as `null` where its absence would read as another value on
/// import: if the model has a default value, requires one, or has an inverse that would fill it in.
package final class ObjectCursor {
  private let reader: ObjectReader
  private let entity: EntityLayout
  private let statement: Statement
  private let kinds: [Int: Kind]
  private var isOpen = true

  /// The columns to read from rows of one entity.
  private struct Kind {
    let entity: EntityLayout
    var properties: [Property] = []
  }

  private struct Property {
    let name: String
    /// Whether a missing value is written as `null`.
    let tellsNull: Bool
    let source: Source
  }

  private enum Source {
    /// The attribute, and the result column of its first column.
    case attribute(AttributeLayout, column: Int)
    case toOne(ToOneLayout, column: Int)
    case toMany(StoreTransaction.Members)
  }

  init(_ request: ObjectRequest, _ reader: ObjectReader) throws {
    self.reader = reader
    let layout = reader.layout
    entity = try layout.existingEntity(request.entityName)
    var columns = ColumnPlan()
    var kinds: [Int: Kind] = [:]
    var known: Set<String> = []
    for number in request.isExact ? [entity.number] : entity.kindNumbers {
      guard let kind = layout.entity(numbered: number) else { continue }
      var plan = Kind(entity: kind)
      for property in kind.properties {
        known.insert(property.name)
        if let wanted = request.properties, !wanted.contains(property.name) { continue }
        plan.properties.append(try columns.add(property, of: kind, in: reader.state))
      }
      kinds[number] = plan
    }
    for name in (request.properties ?? []).sorted(by: codeUnitOrder) where !known.contains(name) {
      throw QueryError.unknownProperty(name: name, entity: entity.name, nearest: nearestName(to: name, in: known))
    }
    self.kinds = kinds
    let byKey = SortTerm(expression: .object(FetchPath()))
    let fetch = FetchRequest(
      entityName: request.entityName, includesSubentities: !request.isExact, predicate: request.predicate,
      sortTerms: request.sortTerms.isEmpty ? [byKey] : request.sortTerms, limit: request.limit,
      columns: columns.selections)
    statement = try reader.state.statement(fetch)
  }

  /// The next object; `nil` at the end.
  ///
  /// - Throws: `SQLiteError`.
  package func next() throws -> ExportObject? {
    while isOpen {
      guard try statement.step() else {
        isOpen = false
        statement.reset()
        return nil
      }
      guard let kind = kinds[Int(truncatingIfNeeded: statement.integer(1))] else {
        reader.omissions.foreignRows += 1
        continue
      }
      return try object(kind)
    }
    return nil
  }

  /// The columns of all entities that the rows may have, each column once.
  private struct ColumnPlan {
    var selections: [ColumnSelection] = []
    private var places: [Place: Int] = [:]
    /// The first three columns are the row's key, entity and version.
    private var next = 3

    private struct Place: Hashable {
      let declaringEntity: String
      let property: String
    }

    mutating func add(_ property: PropertyLayout, of kind: EntityLayout, in state: StoreTransaction) throws -> Property
    {
      let place = Place(declaringEntity: property.declaringEntityName, property: property.name)
      func column(width: Int) -> Int {
        if let known = places[place] { return known }
        selections.append(ColumnSelection(entityName: kind.name, propertyName: property.name))
        places[place] = next
        next += width
        return next - width
      }
      switch property {
      case .attribute(let attribute):
        let description = attribute.description
        return Property(
          name: property.name, tellsNull: description.defaultValue != nil || !description.isOptional,
          source: .attribute(attribute, column: column(width: attribute.columns.count)))
      case .toOne(let relationship):
        return Property(
          name: property.name,
          tellsNull: !relationship.description.isOptional || relationship.inverse?.description.maximumCount == 1,
          source: .toOne(relationship, column: column(width: 2)))
      case .toMany(let relationship):
        return Property(
          name: property.name, tellsNull: false,
          source: .toMany(try state.members(of: relationship)))
      }
    }
  }

  // MARK: A row

  private func object(_ kind: Kind) throws -> ExportObject {
    let key = statement.integer(0)
    var elements: [ExportValue.Element] = []
    elements.reserveCapacity(kind.properties.count)
    for property in kind.properties {
      let value = try value(property, of: kind, key)
      if value != .null || property.tellsNull { elements.append(ExportValue.Element(property.name, value)) }
    }
    return ExportObject(name: ObjectName(entity: kind.entity.name, key: key), properties: elements)
  }

  private func value(_ property: Property, of kind: Kind, _ key: Int64) throws -> ExportValue {
    switch property.source {
    case .attribute(let attribute, let column):
      if attribute.description.type == .composite {
        let leaves = attribute.columns.enumerated().map { offset, leaf in
          (path: leaf.path.dropFirst(), value: self.value(leaf, column + offset, of: kind, key))
        }
        return .composite(leaves[...])
      }
      guard let only = attribute.column else { return .null }
      let value = self.value(only, column, of: kind, key)
      if value == .null, only.isExternal,
        try reader.hasValue(only.name, of: ObjectKey(entity: Int32(kind.entity.number), key: key))
      {
        reader.omissions.missingFiles += 1
      }
      return value
    case .toOne(let relationship, let column):
      guard !statement.isNull(column) else { return .null }
      guard let name = try reader.object(relationship, statement.integer(column)) else {
        reader.omissions.danglingKeys += 1
        return .null
      }
      return .object(name)
    case .toMany(let members):
      let names = try reader.objects(members, of: key)
      return names.isEmpty ? .null : .objects(names)
    }
  }

  /// The value of a result column.
  private func value(_ column: AttributeColumn, _ index: Int, of kind: Kind, _ key: Int64) -> ExportValue {
    let value = ExportValue(statement, index, as: column.attribute.type)
    switch value {
    case .text(let text), .stored(.text(let text)):
      reader.repairedTexts.check(text, statement, index) {
        (column.path.joined(separator: "."), ObjectName(entity: kind.entity.name, key: key).description)
      }
    default: break
    }
    return value
  }
}
