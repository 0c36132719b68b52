import CoreDataStore
import ErrorReporting
import Foundation
import ManagedModel
import ToolConsole
import ToolModels

/// The possible model versions of a store, from the path of `--model`: a model in any form.
struct CandidateModels {
  private let file: ModelFile?
  private let url: URL?

  /// Without a path there are no versions. Ignores the warnings of the model's reader, because they do not concern a
  /// store.
  ///
  /// - Throws: ``Failure``
  init(path: String?) throws {
    url = path.map { URL(fileURLWithPath: $0) }
    file = try url.map(ModelFile.read)
  }

  /// The versions, the newest last.
  var versions: [ModelDescription] { file?.versions.map(\.model) ?? [] }

  /// Opens a store with its own model or, if `--model` names one, with the newest version that fits.
  ///
  /// - Throws: `StoreError`; ``Failure`` if no version fits, with the versions tried and the differences of the nearest
  ///   one.
  func open(_ path: String, options: StoreOptions) throws -> PersistentStore {
    let store = URL(fileURLWithPath: path)
    guard let file else { return try PersistentStore.open(at: store, options: options) }
    var misfits: [(version: String, error: StoreError, count: Int)] = []
    for version in file.versions.reversed() {
      do { return try PersistentStore.open(at: store, options: options, model: version.model) } catch {
        guard let error = error as? StoreError, let count = error.misfitCount else { throw error }
        misfits.append((version.name, error, count))
      }
    }
    // The newest version among the versions that differ in the fewest entities.
    guard let nearest = misfits.min(by: { $0.count < $1.count }) else {
      return try PersistentStore.open(at: store, options: options)
    }
    throw Failure(
      store, line: nil, onOneLine(Self.problem(nearest, misfits.map(\.version), of: file)),
      remedy: "name the model that it was made with, or bring the store to this one: store-tool migrate")
  }

  private static func problem(
    _ nearest: (version: String, error: StoreError, count: Int), _ names: [String], of file: ModelFile
  ) -> String {
    guard names.count > 1 else { return "the store does not fit \(quoted(file.source)): it \(nearest.error.predicate)" }
    return "the store was made with none of the \(names.count) versions of \(quoted(file.source)): "
      + "\(quoted(nearest.version)) is nearest, but it \(nearest.error.predicate); looked at: "
      + abbreviatedList(names.map(quoted))
  }

  /// Checks that there is a model for a new store.
  ///
  /// - Throws: ``Failure``
  func requireModel(for store: URL) throws {
    if file?.current == nil { throw Self.missingModel(of: store) }
  }

  private static func missingModel(of store: URL) -> Failure {
    Failure(
      store, line: nil, "the store does not exist", remedy: "name its model with --model or --like, to have it made")
  }

  /// Creates a store of the current version, or like the store that `--like` names.
  ///
  /// - Throws: `StoreError`, ``Failure``
  func make(_ store: URL) throws -> PersistentStore {
    guard let file, let url, let current = file.current else { throw Self.missingModel(of: store) }
    // A store may contain only some entities of its model.
    if file.form == .store { return try PersistentStore.make(at: store, like: url) }
    return try PersistentStore.open(at: store, model: current.model)
  }
}

extension StoreError {
  /// The number of entities in which a given model differs from the store's model; `nil` if the error is not about the
  /// given model.
  fileprivate var misfitCount: Int? {
    switch kind {
    case .otherModel(let mismatches): mismatches.count
    case .partialModel(let entities): entities.count
    case .unusableModel: .max
    default: nil
    }
  }
}
