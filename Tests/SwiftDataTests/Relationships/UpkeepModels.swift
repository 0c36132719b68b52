import Foundation
import SwiftData
import TestSupport

/// Parts that move between owners with each delete rule, a chain of cascades, and a required relationship without an inverse.
enum UpkeepModels {
  @Model final class Part {
    @Attribute(.unique) var code: String
    var name: String
    var crate: Crate?
    var rack: Rack?
    var hold: Hold?

    init(_ code: String, _ name: String = "") {
      self.code = code
      self.name = name
    }
  }

  @Model final class Crate {
    var label: String
    @Relationship(deleteRule: .cascade, inverse: \Part.crate) var parts: [Part] = []
    init(_ label: String) { self.label = label }
  }

  @Model final class Rack {
    var label: String
    @Relationship(deleteRule: .nullify, inverse: \Part.rack) var parts: [Part] = []
    init(_ label: String) { self.label = label }
  }

  @Model final class Hold {
    var label: String
    @Relationship(deleteRule: .deny, inverse: \Part.hold) var parts: [Part] = []
    init(_ label: String) { self.label = label }
  }

  @Model final class Wagon {
    var number: Int
    @Relationship(deleteRule: .cascade, inverse: \Wagon.previous) var next: Wagon?
    var previous: Wagon?
    init(_ number: Int) { self.number = number }
  }

  @Model final class Product {
    var name: String
    init(_ name: String) { self.name = name }
  }

  @Model final class Line {
    var count: Int
    /// Has no inverse.
    var product: Product
    init(_ count: Int, _ product: Product) {
      self.count = count
      self.product = product
    }
  }

  /// Has members without an inverse.
  @Model final class List {
    var title: String
    var products: [Product] = []
    init(_ title: String) { self.title = title }
  }

  static let types: [any PersistentModel.Type] = [
    Part.self, Crate.self, Rack.self, Hold.self, Wagon.self, Product.self, Line.self, List.self,
  ]
}

/// A store of the current engine with these models, and two contexts.
struct UpkeepWorld {
  let store: TemporaryStore
  let container: ModelContainer
  let context: ModelContext
  let other: ModelContext

  init() throws {
    store = try TemporaryStore()
    container = try TestEngine.current.container(Schema(UpkeepModels.types), store)
    context = ModelContext(container)
    other = ModelContext(container)
  }

  var fresh: ModelContext { ModelContext(container) }

  func count<Model: PersistentModel>(_ type: Model.Type) throws -> Int {
    try fresh.fetchCount(FetchDescriptor<Model>())
  }
}
