package import CoreDataStore
import Foundation
package import ManagedModel
import PropertyLists
package import StoreExchange
package import StoreRequests
package import TestSupport

/// A fresh store on disk, with import and export of lines of JSON.
package final class ImportExportWorld {
  package let folder: TemporaryStore
  package let store: PersistentStore

  package init(_ model: ModelDescription = SampleModel.library, entityNames: Set<String>? = nil) throws {
    folder = try TemporaryStore()
    store = try PersistentStore.open(at: folder.url, options: StoreOptions(entityNames: entityNames), model: model)
  }

  @discardableResult
  package func take(_ text: String, _ set: (inout ObjectImport.Options) -> Void = { _ in }) throws
    -> ObjectImport.Summary
  {
    var options = ObjectImport.Options()
    set(&options)
    let file = folder.folder.appendingPathComponent("lines.jsonl")
    try Data(text.utf8).write(to: file)
    return try ObjectImport(file, into: store, options: options).run()
  }

  /// Puts text into the store, and gives the error that it must have.
  package func refusal(_ text: String, _ set: (inout ObjectImport.Options) -> Void = { _ in }) throws -> ImportError? {
    let before = try dump()
    do {
      try take(text, set)
      return nil
    } catch let error as ImportError {
      return try dump() == before ? error : nil
    }
  }

  package func dump() throws -> String { try Self.dump(store) }

  package static func dump(_ store: PersistentStore) throws -> String {
    try store.readObjects { reader in
      var output = JSONWriter()
      for root in reader.rootEntities {
        let objects = try reader.objects(ObjectRequest(entityName: root))
        while let object = try objects.next() {
          output.write(object)
          output.endDocument()
        }
      }
      return String(decoding: output.bytes, as: UTF8.self)
    }
  }

  /// Rows of a query in plain names.
  package func ask(_ sql: String) throws -> [[StoreValue]] {
    let query = try StoreQuery(sql, on: store)
    var rows: [[StoreValue]] = []
    while let row = try query.next() { rows.append(row) }
    return rows
  }
}
