import CoreDataStore
import ErrorReporting
import ManagedModel
import SQLite
import StoreRequests

extension ObjectImport {
  /// The first reading: finds the row of each line, and the objects that it claims as their owner.
  func survey(_ draft: ImportRecord, _ save: PartialSave, _ context: ImportContext) throws {
    let spool = context.spool
    var key: Int64?
    var isNew = true
    if options.updates, let existing = try existing(draft, context) {
      guard existing.entity == Int32(draft.entity.number) else {
        let entity = layout.entity(numbered: Int(existing.entity))?.name ?? ""
        throw ImportFault(
          "the object that exists is of entity \(quoted(entity)), not \(quoted(draft.entity.name))",
          "correct the entity; it cannot be changed", at: draft.offset)
      }
      key = existing.key
      isNew = false
    } else if options.keepsKeys, let name = draft.label.flatMap(ObjectName.parse)?.name,
      name.entity == draft.entity.name
    {
      key = name.key
      try save.reserve(name.key, of: draft.entity)
    }
    if let earlier = try spool.add(
      line: draft.line, label: draft.label, entity: draft.entity, key: key, isNew: isNew)
    {
      throw ImportFault(
        earlier.isLabel
          ? "line \(earlier.line) has the same identifier" : "line \(earlier.line) is about the same object",
        "leave out one of the two, or give it another identifier", at: draft.offset)
    }
    for (name, field) in draft.fields { try claim(field, name, of: draft, spool) }
    if let key, !isNew, let unique = uniqueProperties[draft.entity.number] {
      for name in draft.fields.map(\.name) where unique.contains(name) {
        try spool.noteRewritten(
          name, of: ObjectKey(entity: Int32(draft.entity.number), key: key), line: draft.line)
      }
    }
  }

  /// Records the owner of each object in a relationship, unless the object's own line states it.
  private func claim(_ field: ImportRecord.Field, _ name: String, of draft: ImportRecord, _ spool: ImportIndex) throws {
    let references: [ImportRecord.Reference]
    let inverse: InverseLayout?
    switch field {
    case .attribute: return
    case .toOne(let relationship, let reference, _):
      references = reference.map { [$0] } ?? []
      inverse = relationship.inverse.flatMap { $0.description.maximumCount == 1 ? $0 : nil }
    case .toMany(let relationship, let members, _):
      if case .key(let side) = relationship.storage, !side.isVirtual {
        inverse = relationship.inverse
      } else {
        inverse = nil
      }
      references = members
    }
    guard let inverse else { return }
    for reference in references {
      guard let earlier = try spool.claim(reference.label, inverse.description.name, owner: draft.line) else {
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

  private func existing(_ draft: ImportRecord, _ context: ImportContext) throws -> ObjectKey? {
    if let label = draft.label, let object = try context.existing(label) { return object }
    for name in draft.entity.lineage {
      for constraint in layout.entity(named: name)?.description.uniquenessConstraints ?? [] {
        if let object = try match(draft, constraint, context) { return object }
      }
    }
    return nil
  }

  /// The row with the same values of a uniqueness constraint; `nil` if the line lacks one of them.
  private func match(_ draft: ImportRecord, _ constraint: [String], _ context: ImportContext) throws -> ObjectKey? {
    guard !constraint.isEmpty else { return nil }
    var wanted: [(column: Identifier, value: StoreValue)] = []
    for name in constraint {
      guard case .attribute(let attribute, let values, _)? = draft.fields.first(where: { $0.name == name })?.field,
        let column = attribute.column, let value = try stored(values, of: attribute, in: draft.entity).first,
        value != .null
      else { return nil }
      wanted.append((column.name, value))
    }
    return try context.state.row(of: draft.entity, with: wanted)
  }
}
