import CoreDataStore
import ErrorReporting
import ManagedModel
import StoreRequests

/// A cursor over the objects of a request.
///
/// An absent property means no value. A property is written as `null` where its absence would read as another value on
/// import: if the model has a default value, requires one, or has an inverse that would fill it in.
package final class ObjectCursor {
  private let reader: ObjectReader
  private let rows: StoredRows
  private let kinds: [Int32: Kind]

  /// The columns to read from rows of one entity.
  private struct Kind {
    let entity: StoreEntity
    var properties: [Property] = []
  }

  private struct Property {
    let name: String
    /// Whether a missing value is written as `null`.
    let tellsNull: Bool
    let source: Source
  }

  private enum Source {
    /// The attribute, and the column of its first value.
    case attribute(StoreAttribute, column: Int)
    case toOne(StoreRelationship, column: Int)
    case toMany(StoreTransaction.Members)
  }

  init(_ request: ObjectRequest, _ reader: ObjectReader) throws {
    self.reader = reader
    let entities = reader.entities
    let entity = try entities.existingEntity(request.entityName)
    var columns = ColumnPlan()
    var kinds: [Int32: Kind] = [:]
    var known: Set<String> = []
    for number in request.isExact ? [entity.number] : entity.kindNumbers {
      guard let kind = entities.entity(numbered: number) else { continue }
      var plan = Kind(entity: kind)
      for property in kind.properties {
        known.insert(property.name)
        if let wanted = request.properties, !wanted.contains(property.name) { continue }
        plan.properties.append(try columns.add(property, of: kind, reader))
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
    rows = try reader.state.rows(fetch)
  }

  /// The next object; `nil` at the end.
  ///
  /// - Throws: `SQLiteError`.
  package func next() throws -> ExportObject? {
    while try rows.next() {
      guard let kind = kinds[rows.entity] else {
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
    /// The first column of each property, which has the entity that declares it.
    private var places: [ColumnSelection: Int] = [:]
    private var next = 0

    mutating func add(_ property: StoreProperty, of kind: StoreEntity, _ reader: ObjectReader) throws -> Property {
      let own = ColumnSelection(entityName: kind.name, propertyName: property.name)
      let place = ColumnSelection(
        entityName: reader.entities.declaringEntityName(of: property.name, in: kind), propertyName: property.name)
      func column() -> Int {
        if let known = places[place] { return known }
        selections.append(own)
        places[place] = next
        next += property.width
        return next - property.width
      }
      switch property {
      case .attribute(let attribute):
        let description = attribute.description
        return Property(
          name: property.name, tellsNull: description.defaultValue != nil || !description.isOptional,
          source: .attribute(attribute, column: column()))
      case .toOne(let relationship):
        return Property(
          name: property.name,
          tellsNull: !relationship.description.isOptional || relationship.inverse?.maximumCount == 1,
          source: .toOne(relationship, column: column()))
      case .toMany:
        return Property(
          name: property.name, tellsNull: false, source: .toMany(try reader.state.members(of: own)))
      }
    }
  }

  // MARK: A row

  private func object(_ kind: Kind) throws -> ExportObject {
    let key = rows.key
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
        let leaves = attribute.leaves.enumerated().map { offset, leaf in
          (path: leaf.path.dropFirst(), value: self.value(leaf, column + offset, of: kind, key))
        }
        return .composite(leaves[...])
      }
      guard let only = attribute.leaves.first else { return .null }
      let value = self.value(only, column, of: kind, key)
      if value == .null, only.attribute.allowsExternalBinaryDataStorage,
        try reader.state.hasUnreadableValue(0, of: attribute, ObjectKey(entity: kind.entity.number, key: key))
      {
        reader.omissions.missingFiles += 1
      }
      return value
    case .toOne(let relationship, let column):
      guard let destination = rows.destinationKey(column) else { return .null }
      guard let name = try reader.object(relationship, destination) else {
        reader.omissions.danglingKeys += 1
        return .null
      }
      return .object(name)
    case .toMany(let members):
      let names = try reader.objects(members, of: key)
      return names.isEmpty ? .null : .objects(names)
    }
  }

  /// The value of a leaf, which is in a column.
  private func value(_ leaf: StoreAttribute.Leaf, _ column: Int, of kind: Kind, _ key: Int64) -> ExportValue {
    let value = rows.value(column)
    if case .text(let text) = value, rows.isRepaired(text, column) {
      reader.repairedTexts.add {
        (leaf.path.joined(separator: "."), ObjectName(entity: kind.entity.name, key: key).description)
      }
    }
    return ExportValue(value, as: leaf.attribute.type)
  }
}
