import CoreDataStore
import Foundation
import ManagedModel
import PropertyLists
import StoreExchange
import StoreInspection
import StoreRequests

/// Takes bytes for the file of a store, or for changes of the template, and does with it what `store-tool` and a container do.
///
/// Whatever it holds, reading changes nothing, and every failure is an error.
func useStore(_ bytes: Data) -> CInt {
  guard let template else { preconditionFailure("there is no template") }
  guard let url = try? StoreTemplate.place() else { preconditionFailure("there is no place for a store") }
  defer { StoreTemplate.clear(url) }
  if bytes.starts(with: Data("SQLite format 3\0".utf8)) {
    guard (try? bytes.write(to: url)) != nil else { return 0 }
  } else {
    var edits = StoreEdits(bytes)
    guard (try? edits.apply(to: url, template)) != nil else { return 0 }
  }
  let before = try? Data(contentsOf: url)
  look(at: url)
  precondition((try? Data(contentsOf: url)) == before, "a store that was only looked at has changed")
  change(url)
  return 0
}

private func look(at url: URL) {
  _ = try? StoreModel.read(url)
  _ = try? StoreSummary.read(url)
  _ = try? StoreChecker.report(url)
  for model in [nil, StoreTemplate.model] {
    let options = StoreOptions(isReadOnly: true, createsIfMissing: false, busyTimeout: .zero)
    guard let store = try? PersistentStore.open(at: url, options: options, model: model) else { continue }
    defer { store.close() }
    for entity in store.layout.entities {
      guard let rows = try? store.rows(of: entity.name) else { continue }
      _ = try? store.count(FetchRequest(entityName: entity.name))
      let owners = rows.prefix(8).compactMap { row -> ObjectKey? in
        guard case .integer(let key)? = row.first else { return nil }
        return ObjectKey(entity: Int32(truncatingIfNeeded: entity.number), key: key)
      }
      for case .toMany(let relationship) in entity.properties {
        let name = (entity.name, relationship.description.name)
        guard let cursor = try? store.related(to: name, owners: owners, columns: []) else { continue }
        while (try? cursor.next()) == true {}
      }
    }
    _ = try? lines(of: store)
    guard let history = try? store.history() else { continue }
    while (try? history.next()) != nil { while (try? history.nextChange()) != nil {} }
  }
}

/// All objects as lines of JSON.
private func lines(of store: PersistentStore) throws -> Data {
  try store.readObjects { reader in
    var output = JSONWriter()
    for root in reader.rootEntities {
      let objects = try reader.objects(ObjectRequest(entityName: root))
      while let object = try objects.next() {
        output.write(object)
        output.endDocument()
      }
    }
    return Data(output.bytes)
  }
}

/// Writes every object as it is, and the template's, then deletes one of each entity.
private func change(_ url: URL) {
  let options = StoreOptions(createsIfMissing: false, busyTimeout: .zero)
  guard let store = try? PersistentStore.open(at: url, options: options) else { return }
  defer { store.close() }
  let file = url.appendingPathExtension("lines")
  for text in [try? lines(of: store), Data(StoreTemplate.lines.utf8)] {
    guard let text, (try? text.write(to: file)) != nil else { continue }
    _ = try? ObjectImport(file, into: store, options: StoreTemplate.updating).run()
  }
  for entity in store.layout.entities {
    guard let keys = try? store.keys(FetchRequest(entityName: entity.name)), let key = keys.first else { continue }
    var changes = ChangeSet()
    changes.deletions = [.init(object: key, version: nil)]
    _ = try? store.save(changes)
  }
  _ = try? StoreChecker.check(store)
}
