internal import StoreRequests

/// A save to a custom store, for the observers of its container, and for other containers of the process that have the store
/// open.
///
/// No file or server tells of such a save. Two containers have the same store open if its type, its configuration and its
/// ``DataStore/identifier`` are equal: a store may take the name of its file for its identifier, and files in two folders may have one name.
struct CustomStoreSave {
  let store: OpenStore
  let token: (any HistoryToken)?
  let author: String?
  /// The names of the changed objects' entities.
  let entityNames: Set<String>
  /// Whether observers of the history count the save.
  private let isCounted: Bool

  /// The parts of a save in custom stores, in the order of the stores.
  static func saves(of changes: SavedChanges, in container: ContainerCore) -> [CustomStoreSave] {
    let saved = changes.transactions.keys.sorted().map { container.stores[$0] }.filter { $0.descriptorEngine != nil }
    return saved.map { store in
      let isErased = changes.erasedStores.contains(store.index)
      let changed = (changes.inserted + changes.updated + changes.deleted).lazy.filter {
        $0.storeIdentifier == store.engine.identifier
      }
      let token = changes.tokens[store.index]
      return CustomStoreSave(
        store: store, token: token, author: changes.author,
        entityNames: Set(isErased ? store.boundEntityNames : changed.map(\.entityName)),
        isCounted: token != nil || isErased)
    }
  }

  /// Whether another container's store is the same store.
  func isIn(_ other: OpenStore) -> Bool {
    guard let engine = other.descriptorEngine, let own = store.descriptorEngine else { return false }
    return engine.hasSameStore(as: own)
  }

  /// The save for observers of the history; `nil` if the store did not tell its position.
  func counted(in store: OpenStore) -> RemoteChanges.CustomSave? {
    guard isCounted else { return nil }
    return RemoteChanges.CustomSave(
      store: store.index, token: token, author: author, entities: Set(entityNames.compactMap(store.number)))
  }
}
