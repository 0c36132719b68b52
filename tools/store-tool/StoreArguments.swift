import ArgumentParser
import CoreDataModel
import CoreDataStore
import Foundation

/// The store that a command is about, and the model to open it with.
struct StoreArguments: ParsableArguments {
  @Argument(help: "The store's file.") var store: String
  @Option(help: "The model of a store that carries none of its own: an .xcdatamodeld bundle.")
  var model: String?

  /// Opens the store for reading: with its own model, or with the newest version of the bundle that fits.
  ///
  /// - Throws: `StoreError`, of the newest version if none fits; `ModelReadingError` if the bundle cannot be read.
  func openForReading() throws -> PersistentStore { try open(options: StoreOptions(isReadOnly: true)) }

  func open(options: StoreOptions) throws -> PersistentStore {
    try Self.open(store, model: model, options: options)
  }

  static func open(_ path: String, model: String?, options: StoreOptions) throws -> PersistentStore {
    let url = URL(fileURLWithPath: path)
    guard let model else { return try PersistentStore.open(at: url, options: options) }
    let bundle = try ModelBundle.read(at: URL(fileURLWithPath: model))
    for version in bundle.versions.reversed() {
      if let store = try? PersistentStore.open(at: url, options: options, model: version.model) { return store }
    }
    return try PersistentStore.open(at: url, options: options, model: bundle.versions.last?.model)
  }
}
