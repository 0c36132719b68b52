import CoreDataStore
import Foundation
import ManagedModel
import ToolConsole
import ToolModels

/// The versions of a model that a store may be of, as `--model` names them: in any form that a model comes in.
struct CandidateModels {
  private let file: ModelFile?
  private let url: URL?

  /// No path, no versions. What a reader of the model's source warns of does not matter to a store.
  ///
  /// - Throws: ``Failure``
  init(path: String?) throws {
    url = path.map { URL(fileURLWithPath: $0) }
    file = try url.map(ModelFile.read)
  }

  /// The newest last.
  var versions: [ModelDescription] { file?.versions.map(\.model) ?? [] }

  /// Opens a store with its own model or, where one is named, with the newest version that fits.
  ///
  /// - Throws: `StoreError`; ``Failure`` if no version fits, with those that were tried and how the nearest differs.
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
    // The newest of those that differ in the fewest entities.
    guard let nearest = misfits.min(by: { $0.count < $1.count }) else {
      return try PersistentStore.open(at: store, options: options)
    }
    throw Failure(
      store, line: nil, onOneLine(Self.problem(nearest, misfits.map(\.version), of: file)),
      remedy: "name the model that it was made with")
  }

  private static func problem(
    _ nearest: (version: String, error: StoreError, count: Int), _ names: [String], of file: ModelFile
  ) -> String {
    guard names.count > 1 else { return "the store does not fit \(quoted(file.source)): it \(nearest.error.problem)" }
    return "the store was made with none of the \(names.count) versions of \(quoted(file.source)): "
      + "\(quoted(nearest.version)) is nearest, but it \(nearest.error.problem); looked at: "
      + StoreError.list(names.map(quoted))
  }

  /// Makes a store of the version that is current, or like the store that is named.
  ///
  /// - Throws: `StoreError`, ``Failure``
  func make(_ store: URL) throws -> PersistentStore {
    guard let file, let url, let current = file.current else {
      throw Failure(
        store, line: nil, "the store does not exist", remedy: "name its model with --model or --like, to have it made")
    }
    // Of a store's model not all entities need be in the store.
    if file.form == .store { return try PersistentStore.make(at: store, like: url) }
    return try PersistentStore.open(at: store, model: current.model)
  }
}

extension StoreError {
  /// In how many entities a given model is not the store's; `nil` for an error that is not about the given model.
  fileprivate var misfitCount: Int? {
    switch kind {
    case .otherModel(let mismatches): mismatches.count
    case .partialModel(let entities): entities.count
    case .unusableModel: .max
    default: nil
    }
  }
}
