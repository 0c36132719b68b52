package import CoreDataStore
import ErrorReporting
package import Foundation
import ManagedModel
import PropertyLists
import StoreRequests

/// Imports lines of JSON as objects, all or none, in one save with history.
///
/// The file is read three times: to find its objects, to write them, and to relate them. The index of the file is on
/// disk: memory depends on the longest line, and on the number of changed objects of the store.
package final class ObjectImport {
  package struct Options: Sendable {
    /// Whether lines change existing objects with the same identifier, or the same unique values.
    package var updates = false
    /// Whether objects keep the keys of their identifiers. This is for empty stores.
    package var keepsKeys = false
    /// Whether the model's rules are waived. Required values may be missing, as in some real stores.
    package var isLenient = false
    /// The author in the store's history (CD-7).
    package var author: String?

    package init() {}
  }

  package struct Summary: Sendable, Hashable {
    package internal(set) var inserted = 0
    package internal(set) var updated = 0
    /// The number of the transaction in the store's history; `nil` if the store keeps none.
    package internal(set) var transaction: Int64?

    package init() {}
  }

  let store: PersistentStore
  let options: Options
  let entities: EntityTable
  private let file: URL
  private let progress: () throws -> Void
  var summary = Summary()
  /// See ``countRules(of:)``.
  private(set) lazy var countRules = Self.countRules(of: entities)
  /// The unique properties of each entity that has some, by the entity's number.
  private(set) lazy var uniqueProperties = entities.entities.reduce(into: [Int32: Set<String>]()) { result, entity in
    let names = entities.uniqueProperties(of: entity)
    if !names.isEmpty { result[entity.number] = names }
  }
  /// Whether the third reading is needed.
  var hasRelations = false

  /// - Parameters:
  ///   - file: a file of lines. It is read several times.
  ///   - progress: called regularly; its error ends the import, and nothing is written.
  package init(
    _ file: URL, into store: PersistentStore, options: Options = Options(), progress: @escaping () throws -> Void = {}
  ) {
    self.file = file
    self.store = store
    entities = store.storedEntities
    self.options = options
    self.progress = progress
  }

  /// Imports the file.
  ///
  /// - Throws: ``ImportError`` with line and column; ``SaveError``, ``StoreError``. The store is then unchanged.
  package func run() throws -> Summary {
    summary.transaction = try store.saveInParts(author: options.author) { save in
      let index = try ImportIndex()
      let context = ImportContext(state: save.transaction, index: index, storeIdentifier: store.identifier)
      try eachRecord { try survey($0, save, context) }
      try index.assignKeys { number in try save.nextKey(of: entities.existingEntity(number)) }
      var part = ImportPart()
      try eachRecord { record in
        try add(record, to: &part, context)
        guard part.isFull else { return }
        if !context.isFreed { save.freeLaterParts = { try self.freeUniqueValues(after: record.line, context, $0) } }
        try write(&part, save)
      }
      save.freeLaterParts = nil
      try write(&part, save)
      if hasRelations {
        // Each line has written the keys that it states.
        context.isFreed = false
        try eachRecord { record in
          try relate(record, &part, context)
          guard part.isFull else { return }
          if !context.isFreed { save.freeLaterParts = { try self.freeUniqueKeys(after: record.line, context, $0) } }
          try write(&part, save)
        }
        save.freeLaterParts = nil
        try write(&part, save)
      }
      try checkRelationships(context)
    }
    return summary
  }

  private func write(_ part: inout ImportPart, _ save: PartialSave) throws {
    guard !part.changes.isEmpty else { return }
    let result = try save.write(part.changes, keys: part.keys)
    if let merged = result.merged.first {
      let entity = try entities.existingEntity(merged.object.entity)
      throw ImportError(
        line: part.lines[merged.insertion],
        problem: "entity \(quoted(entity.name)) already has another object with the same unique values",
        remedy: options.updates
          ? "leave out one of the two" : "leave it out, or import with --update to change the object that exists")
    }
    part = ImportPart()
  }

  /// Frees the unique values that later lines overwrite, so that lines far apart can exchange their values.
  private func freeUniqueValues(
    after line: Int, _ context: ImportContext, _ free: (ObjectKey, [ColumnSelection]) throws -> Void
  ) throws {
    context.isFreed = true
    try context.index.eachRewritten(after: line) { object, property in
      let entity = try entities.existingEntity(object.entity)
      try free(object, [ColumnSelection(entityName: entity.name, propertyName: property)])
    }
  }

  /// Frees the unique foreign keys that later lines overwrite from the other side of a relationship.
  private func freeUniqueKeys(
    after line: Int, _ context: ImportContext, _ free: (ObjectKey, [ColumnSelection]) throws -> Void
  ) throws {
    context.isFreed = true
    try context.index.eachClaim(after: line) { label, property, owner in
      guard let target = try context.target(label: label), !target.isNew,
        uniqueProperties[target.object.entity]?.contains(property) == true
      else { return }
      let entity = try entities.existingEntity(target.object.entity)
      // A key that stays is not written again.
      guard case .toOne(let relationship)? = entity.property(named: property),
        let key = relationship.keyProperty, try context.state.key(of: key, in: target.object) != owner
      else { return }
      try free(target.object, [ColumnSelection(entityName: entity.name, propertyName: property)])
    }
  }

  /// Reads the file from the start, and checks each line against the model.
  private func eachRecord(_ body: (ImportRecord) throws -> Void) throws {
    var lines = try LineReader(file)
    defer { lines.close() }
    while let line = try lines.next() {
      do {
        do {
          try body(ImportRecord(JSONReader.read(line), line: lines.number, in: entities))
        } catch let fault as JSONFault {
          throw ImportFault(fault.problem, "correct the JSON", at: fault.offset)
        }
      } catch let fault as ImportFault {
        throw fault.error(line: lines.number, line)
      }
      try progress()
    }
  }
}
