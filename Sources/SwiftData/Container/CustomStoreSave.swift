internal import StoreRequests

/// A save to a custom store. The container tells its observers, and the other containers of the process that have the store open:
/// they do not learn of it otherwise.
///
/// Two containers have the same store open if the store's type, its configuration and its ``DataStore/identifier`` are equal. The
/// identifier alone does not tell: it may be the name of a file, and files in two folders may have one name.
struct CustomStoreSave {
  let store: OpenStore
  let token: (any HistoryToken)?
  let author: String?
  /// The names of the changed objects' entities.
  let entityNames: Set<String>
  /// The whole save; `nil` if all objects of the store were removed at once.
  let changes: SavedChanges?
  /// Whether observers of the history count the save: the store told its position, or was erased.
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
        changes: isErased ? nil : changes, isCounted: token != nil || isErased)
    }
  }

  /// Whether another container's store is the same store.
  func isIn(_ other: OpenStore) -> Bool {
    guard let engine = other.descriptorEngine, let own = store.descriptorEngine else { return false }
    return engine.hasSameStore(as: own)
  }

  /// The save for observers of the history; `nil` if they do not count it.
  func counted(in store: OpenStore) -> RemoteChanges.CustomSave? {
    guard isCounted else { return nil }
    return RemoteChanges.CustomSave(
      store: store.index, token: token, author: author, entities: Set(entityNames.compactMap(store.number)))
  }
}
