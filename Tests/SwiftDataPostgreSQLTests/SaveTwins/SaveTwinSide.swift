import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import TestSupport

@testable import SwiftData

/// One of two stores in which the same program runs: two contexts that change, save, undo and roll back.
final class SaveTwinSide {
  typealias Models = SaveTwinModels

  let store: TemporaryStore
  let container: ModelContainer
  let contexts: [ModelContext]
  private let managers = [UndoManager(), UndoManager()]
  private var lastNumber = 0
  /// The objects that a context has fetched earlier, by class.
  private var held: [[ObjectIdentifier: [any SaveTwinObject]]] = [[:], [:]]
  private var names: [PersistentIdentifier: String] = [:]

  init(_ engine: TestEngine, policies seed: UInt64) throws {
    store = try TemporaryStore()
    container = try engine.container(Schema(Models.types.map { $0 as any PersistentModel.Type }), store)
    contexts = [ModelContext(container), ModelContext(container)]
    var random = SplitMix(seed: seed)
    let uniqueness: [UniquenessPolicy] = [.upsert, .upsert, .keepExisting, .fail]
    let conflicts: [SaveConflictPolicy] = [
      .mergeByProperty, .mergeByProperty, .overwrite, .keepStored, .rollback, .fail,
    ]
    for (context, manager) in zip(contexts, managers) {
      context.autosaveEnabled = false
      context.uniquenessPolicy = uniqueness[random.below(uniqueness.count)]
      context.conflictPolicy = conflicts[random.below(conflicts.count)]
      if random.once(in: 2) { context.undoManager = manager }
    }
  }

  /// Removes the tables, of which a search for the shortest program makes many.
  func drop() {
    _ = try? TestServer.shared?.connect().execute("DROP SCHEMA IF EXISTS \(Identifier(store.databaseSchema)) CASCADE")
  }

  func next() -> Int {
    lastNumber += 1
    return lastNumber
  }

  // MARK: Objects

  /// The objects of a class in the order of their numbers, as a fetch finds them now or found them earlier.
  func all<Model: SaveTwinObject>(_ type: Model.Type, _ place: Int, _ random: inout SplitMix) -> [Model] {
    let context = contexts[place]
    let isFresh = random.once(in: 2)
    if !isFresh, let known = held[place][ObjectIdentifier(type)] as? [Model] {
      return known.filter { $0.modelContext === context && !$0.isDeleted }
    }
    let found = ((try? context.fetch(FetchDescriptor<Model>())) ?? []).sorted { $0.number < $1.number }
    held[place][ObjectIdentifier(type)] = found
    return found
  }

  func any<Model: SaveTwinObject>(_ type: Model.Type, _ place: Int, _ random: inout SplitMix) -> Model? {
    let objects = all(type, place, &random)
    return objects.isEmpty ? nil : objects[random.below(objects.count)]
  }

  // MARK: Steps

  /// Makes one step, and tells what it did and what came of it.
  func take(_ seed: UInt64) -> String {
    var random = SplitMix(seed: seed)
    let place = random.below(2)
    let context = contexts[place]
    let result: String
    switch random.below(16) {
    case 0...3: result = save(place, &random)
    case 4 where random.once(in: 3):
      context.rollback()
      result = "roll back"
    case 5 where random.once(in: 2):
      context.processPendingChanges()
      if managers[place].canUndo { managers[place].undo() }
      result = "undo"
    case 6 where random.once(in: 3):
      context.processPendingChanges()
      if managers[place].canRedo { managers[place].redo() }
      result = "redo"
    case 7 where random.once(in: 2): result = "show " + shown(context, derived: false)
    default: result = attempt { try change(place, &random) }
    }
    return "\(place): \(result)"
  }

  private func attempt(_ body: () throws -> String) -> String {
    do { return try body() } catch { return text(error) }
  }

  private func save(_ place: Int, _ random: inout SplitMix) -> String {
    let result = attempt {
      try contexts[place].save()
      return "saved"
    }
    if result != "saved", random.below(4) > 0 { contexts[place].rollback() }
    note()
    return "save: \(result) " + shown(ModelContext(container), derived: true)
  }

  /// What a context shows.
  private func shown(_ context: ModelContext, derived: Bool) -> String {
    attempt { "\n    " + (try Models.description(of: context, derived: derived)).joined(separator: "\n    ") }
  }

  /// An error without the words of an engine: its kind, and the problems of validation.
  private func text(_ error: any Error) -> String {
    guard let error = error as? SwiftDataError else { return "\(error)" }
    let problems = error.validationProblems.map { "\($0.entityName).\($0.propertyName) \($0.rule)" }.sorted()
    return "\(error.kind) \(problems)"
  }

  // MARK: History

  /// Names the rows by the numbers that they have first.
  private func note() {
    let context = ModelContext(container)
    func note<Model: SaveTwinObject>(_ type: Model.Type) {
      for object in (try? context.fetch(FetchDescriptor<Model>())) ?? [] where names[object.persistentModelID] == nil {
        names[object.persistentModelID] = "\(object.number)"
      }
    }
    for type in Models.types { note(type) }
  }

  /// The transactions with their changes, objects by number.
  func history() -> String {
    attempt {
      let transactions = try contexts[0].fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      return transactions.map { transaction in
        "transaction: " + transaction.changes.map(text).sorted().joined(separator: "; ")
      }.joined(separator: "\n")
    }
  }

  private func text(_ change: HistoryChange) -> String {
    let identifier = change.changedPersistentIdentifier
    let name = "\(identifier.entityName) \(names[identifier] ?? "?")"
    func properties<Change: HistoryUpdate>(_ update: Change) -> String {
      let model = ModelClass.of(Change.Model.self)
      return update.updatedAttributes.map { model.property(for: $0)?.name ?? "?" }.sorted().joined(separator: " ")
    }
    func values<Change: HistoryDelete>(_ deletion: Change) -> String {
      deletion.tombstone.map { "\($0)" }.sorted().joined(separator: " ")
    }
    switch change {
    case .insert: return "insert \(name)"
    case .update(let update): return "update \(name): \(properties(update))"
    case .delete(let deletion): return "delete \(name): \(values(deletion))"
    }
  }
}
