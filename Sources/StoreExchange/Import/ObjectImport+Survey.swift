import CoreDataStore
import ErrorReporting
import ManagedModel
import StoreRequests

extension ObjectImport {
  /// The first reading: finds the row of each line, and the objects that it claims as their owner.
  func survey(_ record: ImportRecord, _ save: PartialSave, _ context: ImportContext) throws {
    let index = context.index
    var key: Int64?
    var isNew = true
    if options.updates, let existing = try existing(record, context) {
      guard existing.entity == record.entity.number else {
        let entity = entities.entity(numbered: existing.entity)?.name ?? ""
        throw ImportFault(
          "the object that exists is of entity \(quoted(entity)), not \(quoted(record.entity.name))",
          "correct the entity; it cannot be changed", at: record.offset)
      }
      key = existing.key
      isNew = false
    } else if options.keepsKeys, let name = record.label.flatMap(ObjectName.parse)?.name,
      name.entity == record.entity.name
    {
      key = name.key
      try save.reserve(name.key, of: record.entity)
    }
    if let earlier = try index.add(
      line: record.line, label: record.label, entity: record.entity, key: key, isNew: isNew)
    {
      throw ImportFault(
        earlier.isLabel
          ? "line \(earlier.line) has the same identifier" : "line \(earlier.line) is about the same object",
        "leave out one of the two, or give it another identifier", at: record.offset)
    }
    for (name, field) in record.fields { try claim(field, name, of: record, index) }
    if let key, !isNew, let unique = uniqueProperties[record.entity.number] {
      for name in record.fields.map(\.name) where unique.contains(name) {
        try index.noteRewritten(
          name, of: ObjectKey(entity: record.entity.number, key: key), line: record.line)
      }
    }
  }

  /// Records the owner of each object in a relationship, unless the object's own line states it.
  private func claim(_ field: ImportRecord.Field, _ name: String, of record: ImportRecord, _ index: ImportIndex) throws
  {
    let references: [ImportRecord.Reference]
    /// The property of the other side, which has room for one owner.
    let inverse: String?
    switch field {
    case .attribute: return
    case .toOne(let relationship, let reference, _):
      references = reference.map { [$0] } ?? []
      inverse = relationship.inverse.flatMap { $0.maximumCount == 1 ? $0.name : nil }
    case .toMany(let relationship, let members, _):
      if relationship.hasOwnersWithoutProperty {
        // No property begins with NUL.
        inverse = "\u{0}\(relationship.declaringEntityName).\(name)"
      } else {
        inverse = relationship.keyProperty?.propertyName
      }
      references = members
    }
    guard let inverse else { return }
    for reference in references {
      guard let earlier = try index.claim(reference.label, inverse, owner: record.line) else {
        continue
      }
      // Real stores contain one-to-one relationships whose sides disagree.
      if options.isLenient, case .toOne = field { continue }
      throw ImportFault(
        "relationship \(quoted(name)) leads to \(quoted(reference.label)), which belongs to the object of line \(earlier)",
        "leave it out of one of the two", at: reference.offset)
    }
  }

  // MARK: Objects that exist

  private func existing(_ record: ImportRecord, _ context: ImportContext) throws -> ObjectKey? {
    if let label = record.label, let object = try context.existing(label) { return object }
    for constraint in entities.uniquenessConstraints(of: record.entity) {
      if let object = try match(record, constraint, context) { return object }
    }
    return nil
  }

  /// The row with the same values of a uniqueness constraint; `nil` if the line lacks one of them.
  private func match(_ record: ImportRecord, _ constraint: [String], _ context: ImportContext) throws -> ObjectKey? {
    guard !constraint.isEmpty else { return nil }
    var wanted: [(attribute: String, value: StoreValue)] = []
    for path in constraint {
      let name = [path].propertyNames.first
      guard case .attribute(let attribute, let values, _)? = record.fields.first(where: { $0.name == name })?.field,
        let position = attribute.position(of: path), values.indices.contains(position)
      else { return nil }
      let value = try stored(values, of: attribute, in: record.entity)[position]
      guard value != .null else { return nil }
      wanted.append((path, value))
    }
    return try context.state.row(of: record.entity, with: wanted)
  }
}
