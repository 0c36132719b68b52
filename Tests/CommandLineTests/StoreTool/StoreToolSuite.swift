import Foundation
import SQLite
import TestSupport
import Testing

/// A suite whose tests run `store-tool` on a store of their own.
protocol StoreToolSuite {
  var store: TemporaryStore { get }
}

extension StoreToolSuite {
  var path: String { store.url.path }

  /// The path of a file beside the store.
  func place(_ name: String) -> String { store.folder.appendingPathComponent(name).path }

  /// The names of the files in the store's folder, in order.
  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: store.folder.path)) ?? []).sorted()
  }

  /// Changes the store's file by SQL.
  func execute(_ script: String) throws {
    let connection = try Connection(path: path, mode: .readWrite)
    defer { connection.close() }
    try connection.execute(script)
  }
}

extension Trait where Self == DamagedStores {
  /// The test damages its store, so that the command has something to tell.
  static var damagesStores: Self { .damagesStores("damage that the command is to tell") }
}
