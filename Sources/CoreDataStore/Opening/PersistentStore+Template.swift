package import Foundation
import ManagedModel

extension PersistentStore {
  /// Makes an empty store with the model of another store, and with the same subset of its entities.
  ///
  /// - Throws: ``StoreError``, of either store.
  package static func make(at url: URL, like template: URL) throws -> PersistentStore {
    let template = try StoreModel.read(template)
    let names = Set(template.metadata.hashes.hashes.keys)
    let isPart = names.isStrictSubset(of: template.model.entities.map(\.name))
    return try open(at: url, options: StoreOptions(entityNames: isPart ? names : nil), model: template.model)
  }
}
