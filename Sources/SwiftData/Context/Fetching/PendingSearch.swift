internal import Foundation
internal import StoreRequests

/// Decides about a full-text search for objects in memory, by the rules of the store's search index.
struct PendingSearch {
  private let condition: TextCondition
  private let engine: any SearchEngine
  private let store: OpenStore
  private let entityName: String
  private let core: ContextCore

  /// - Returns: `nil` without a full-text condition.
  init?(_ request: FetchRequest, _ core: ContextCore, _ binding: EntityBinding) {
    let store = core.store(binding.tag)
    guard let condition = request.search, let engine = store.engine as? any SearchEngine else { return nil }
    self.condition = condition
    self.engine = engine
    self.store = store
    self.core = core
    entityName = binding.name
  }

  /// The objects that have the words. Cost: a search index in memory with the texts of these objects.
  func filter<Model: PersistentModel>(_ objects: [Model]) throws -> [Model] {
    guard !objects.isEmpty else { return [] }
    let wanted = try store.reporting { _ in
      let names = try engine.searchedAttributes(of: entityName)
      let texts = objects.map { object in names.map { text(of: object, $0) } }
      return try engine.positions(of: condition, entityName: entityName, in: texts)
    }
    return objects.enumerated().compactMap { wanted.contains($0.offset) ? $0.element : nil }
  }

  private func text(of object: any PersistentModel, _ name: String) -> StoreValue {
    guard let property = core.binding(of: object)?.index(of: name) else { return .null }
    var reader = TextReader()
    object._$visit(property, &reader)
    return reader.value
  }
}

/// Reads a text as its column has it.
private struct TextReader: _PropertyVisitor {
  private(set) var value = StoreValue.null

  mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>) {
    value = storage.value.flatMap { unwrap($0) }.flatMap { storeValue($0) } ?? .null
  }

  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToOneStorage<Destination>) {}
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToManyStorage<Destination>) {}
}
