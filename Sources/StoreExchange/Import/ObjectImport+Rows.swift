import CoreDataStore
import ErrorReporting
import Foundation
import ManagedModel
import StoreRequests

extension ObjectImport {
  /// The second reading: writes the row of a line with all its values and keys.
  func add(_ record: ImportRecord, to part: inout ImportPart, _ context: ImportContext) throws {
    guard let entry = try context.index.entry(line: record.line) else { return }
    let row = StoreValuesRow(isChecked: false)
    var given: [String] = []
    var related: [String] = []
    for (name, field) in record.fields {
      switch field {
      case .attribute(let attribute, let values, let offset):
        try check(values, of: attribute, in: record.entity, at: offset)
        row.contents[name] = .values(try stored(values, of: attribute, in: record.entity))
        given.append(name)
      case .toOne(let relationship, let reference, let offset):
        let destination = try entities.existingEntity(relationship.destinationName)
        let target = try reference.map { try context.target($0, of: destination, name) }
        if target == nil { try checkMayBeNull(relationship.description, of: record.entity, at: offset) }
        try changeOwners(relationship, target, of: entry, &part, context)
        if entry.isNew, let reference { try checkAgreement(record, relationship, reference, context) }
        row.contents[name] = .object(target?.object)
        given.append(name)
        if relationship.inverse?.maximumCount == 1, target?.isNew != true { hasRelations = true }
      case .toMany(_, let references, _):
        hasRelations = hasRelations || !references.isEmpty || !entry.isNew
        related.append(name)
      }
    }
    if entry.isNew || !related.isEmpty { try note(entry.object, line: record.line, context) }
    if entry.isNew {
      try complete(row, of: record, context)
      part.changes.insertions.append(
        ChangeSet.Insertion(entity: entry.object.entity, columns: columns(of: record.entity), source: row))
      part.keys.append(entry.object.key)
      part.lines.append(record.line)
      summary.inserted += 1
    } else if !given.isEmpty || !related.isEmpty {
      part.changes.updates.append(
        ChangeSet.Update(
          object: entry.object, version: nil,
          columns: given.map { ColumnSelection(entityName: record.entity.name, propertyName: $0) },
          changedProperties: given + related, source: row))
      summary.updated += 1
    }
  }

  /// The values that the columns of an attribute store.
  ///
  /// - Throws: ``SaveError/unstorable(entity:property:_:)``
  func stored(_ values: [ExportValue], of attribute: StoreAttribute, in entity: StoreEntity) throws -> [StoreValue] {
    try values.enumerated().map { index, value in
      do { return try value.stored() } catch let problem as UnstorableValue {
        let path = attribute.leaves.indices.contains(index) ? attribute.leaves[index].path : []
        throw SaveError.unstorable(entity: entity.name, property: path.joined(separator: "."), problem)
      }
    }
  }

  /// All columns of an entity, so that all its insertions have one shape.
  private func columns(of entity: StoreEntity) -> [ColumnSelection] {
    entity.properties.compactMap { property in
      if case .toMany = property { return nil }
      return ColumnSelection(entityName: entity.name, propertyName: property.name)
    }
  }

  /// Adds the values that the line lacks: owners that other lines state, default values, and NULL.
  private func complete(_ row: StoreValuesRow, of record: ImportRecord, _ context: ImportContext) throws {
    for property in record.entity.properties where row.contents[property.name] == nil {
      switch property {
      case .attribute(let attribute):
        let defaults = attribute.leaves.map { $0.attribute.defaultValue.map(ExportValue.init) ?? .null }
        try check(defaults, of: attribute, in: record.entity, at: record.offset)
        row.contents[property.name] = .values(try stored(defaults, of: attribute, in: record.entity))
      case .toOne(let relationship):
        let owner = try record.label.flatMap { try context.index.owner(of: $0, property.name) }
          .flatMap { try context.index.entry(line: $0) }
        if owner == nil { try checkMayBeNull(relationship.description, of: record.entity, at: record.offset) }
        row.contents[property.name] = .object(owner?.object)
      case .toMany: break
      }
    }
  }

  /// Requires that both sides of a relationship agree if the file states both.
  private func checkAgreement(
    _ record: ImportRecord, _ relationship: StoreRelationship, _ reference: ImportRecord.Reference,
    _ context: ImportContext
  ) throws {
    let name = relationship.description.name
    guard !options.isLenient, let label = record.label, let line = try context.index.owner(of: label, name),
      let owner = try context.index.entry(line: line), let target = try context.index.entry(label: reference.label),
      owner.object != target.object
    else { return }
    throw ImportFault(
      "relationship \(quoted(name)) leads to \(quoted(reference.label)), but the object of line \(line) holds this one",
      "correct one of the two", at: reference.offset)
  }
}

extension ExportValue {
  /// A default value of the model.
  init(_ value: AttributeValue) {
    self =
      switch value {
      case .integer(let value): .integer(value)
      case .decimal(let value): .decimal(value)
      case .double(let value): .real(value)
      case .boolean(let value): .boolean(value)
      case .string(let value), .uri(let value): .text(value)
      case .date(let value): .date(value)
      case .uuid(let value): .uuid(value)
      case .binary(let value): .data(value)
      }
  }
}
