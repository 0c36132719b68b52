import CoreDataStore
import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// A store that Apple's frameworks wrote, its classes, and the SQL that reads the same values.
struct RealStore {
  let file: String
  let types: [any PersistentModel.Type]
  /// Columns that are not named after their property: `"Cocktail.author.id": "ZID"`.
  var names: [String: String] = [:]
  /// Queries of owner and member for each to-many relationship: `"Author.books": "SELECT ZAUTHOR, Z_PK FROM ZBOOK"`.
  var pairs: [String: String] = [:]

  /// Opens a copy without changing its schema, reads it, writes every value back, runs `change`, and reads it again.
  /// Each time objects and rows must agree; at the end the store must pass the independent checker.
  ///
  /// - Returns: the store's copy, so that a test can read values that no class has.
  @discardableResult
  func test(
    sourceLocation: SourceLocation = #_sourceLocation, change: (ModelContext) throws -> Void,
    verify: (ModelContext) throws -> Void
  ) throws -> TemporaryStore {
    let copy = try Fixtures.copyOfStore(file)
    let form = try plain(copy) { try $0.form() }
    let all = try view(copy, sourceLocation).1
    #expect(try plain(copy) { try $0.form() } == form, "opening changes nothing", sourceLocation: sourceLocation)

    let (container, schema) = try open(copy)
    let context = ModelContext(container)
    for model in schema.classes.values { try Self.writeBack(model.type, model, context) }
    try context.save()
    let (context2, written) = try view(copy, sourceLocation)
    #expect(written.differences(from: all) == [], "values written back are the same", sourceLocation: sourceLocation)

    try change(context2)
    try context2.save()
    #expect(!context2.hasChanges, sourceLocation: sourceLocation)
    let left = try StoreView(context2, schema, names: names)
    let (context3, found) = try view(copy, sourceLocation)
    #expect(
      left.differences(from: found) == [], "another context reads what was written", sourceLocation: sourceLocation)
    try verify(context3)

    let now = try plain(copy) { try $0.form() }
    #expect(now.difference(from: form).map { "\($0)" } == [], "the form is as it was", sourceLocation: sourceLocation)
    try Oracle.expectSound(copy.url, sourceLocation: sourceLocation)
    return copy
  }

  func open(_ copy: TemporaryStore) throws -> (ModelContainer, Schema) {
    let schema = Schema(types)
    return (try ModelContainer(for: schema, configurations: ModelConfiguration(url: copy.url)), schema)
  }

  /// A new context with the values of its objects, which must agree with the rows.
  private func view(_ copy: TemporaryStore, _ sourceLocation: SourceLocation) throws -> (ModelContext, StoreView) {
    let (container, schema) = try open(copy)
    let context = ModelContext(container)
    let view = try StoreView(context, schema, names: names)
    try plain(copy) { try $0.expectSame(as: view, pairs: pairs, sourceLocation: sourceLocation) }
    return (context, view)
  }

  private func plain<Result>(_ copy: TemporaryStore, _ body: (ExportStore) throws -> Result) throws -> Result {
    let store = try ExportStore(copy.url)
    defer { store.close() }
    return try body(store)
  }

  /// Assigns every property of every object to itself.
  private static func writeBack<Model: PersistentModel>(
    _ type: Model.Type, _ model: ModelClass, _ context: ModelContext
  ) throws {
    func assign<Value>(_: Value.Type, _ keyPath: AnyKeyPath, _ object: Model) {
      guard let keyPath = keyPath as? ReferenceWritableKeyPath<Model, Value> else { return }
      object[keyPath: keyPath] = object[keyPath: keyPath]
    }
    for object in try context.fetch(FetchDescriptor<Model>()) {
      for property in model.properties { assign(property.valueType, property.keyPath, object) }
    }
  }
}
