import Foundation
import Testing

@testable import SwiftData

protocol PathTitled: PersistentModel {
  var title: String { get }
}

struct PathAddress: Codable {
  var street: String
  var city: String
  var isCurrent: Bool
  var shout: String { city.uppercased() }
}

@Model final class PathOwner {
  var name: String
  var address: PathAddress
  var boss: PathOwner?
  init(name: String, address: PathAddress) {
    self.name = name
    self.address = address
  }
}

@Model final class PathThing: PathTitled {
  var title: String
  var kind = MetaName.one
  var owner: PathOwner?
  var shout: String { title + "!" }
  var both: String { title + (owner?.name ?? "") }
  init(title: String) { self.title = title }
}

@Suite struct ModelPathTests {
  private func names(_ keyPath: AnyKeyPath, of type: any PersistentModel.Type) throws -> [String] {
    try ModelClass.of(type).path(of: keyPath).properties.map(\.name)
  }

  private func generic<Model: PathTitled>(_ type: Model.Type) -> KeyPath<Model, String> { \Model.title }

  @Test func `Key paths lead through to-one relationships`() throws {
    #expect(try names(\PathThing.title, of: PathThing.self) == ["title"])
    #expect(try names(\PathThing.owner?.name, of: PathThing.self) == ["owner", "name"])
    #expect(try names(\PathThing.owner?.boss?.boss?.name, of: PathThing.self) == ["owner", "boss", "boss", "name"])
  }

  @Test func `A key path of a protocol or a subclass leads to the property`() throws {
    #expect(try names(generic(PathThing.self), of: PathThing.self) == ["title"])
    #expect(try names(\MacroAtlas.title, of: MacroAtlas.self) == ["title"])
  }

  @Test func `A key path may end in the identifier of a destination`() throws {
    let path = try ModelClass.of(PathThing.self).path(of: \PathThing.owner?.persistentModelID)
    #expect(path.properties.map(\.name) == ["owner"] && path.end == .identifier)
  }

  @Test func `A class inherits the properties of key paths, also behind relationships`() throws {
    #expect(try names(\MacroAtlas.title, of: MacroAtlas.self) == ["title"])
    #expect(try names(\PathThing.owner!.boss!.name, of: PathThing.self) == ["owner", "boss", "name"])
    #expect(throws: SwiftDataError.unsupportedKeyPath) {
      try ModelClass.of(PathThing.self).path(of: \PathOwner.name)
    }
  }

  @Test func `Every property's key path is recognised by its identity`() {
    for type in [PathThing.self, PathOwner.self, MacroAtlas.self] as [any PersistentModel.Type] {
      let model = ModelClass.of(type)
      for property in model.properties {
        let accessor = KeyPathComponent.Accessor(of: property.keyPath)
        #expect(accessor.flatMap { model.property(read: $0) }?.index == property.index)
      }
    }
  }

  @Test func `The identifier is recognised in concrete and in generic code`() throws {
    func identified<Model: PersistentModel>(_ type: Model.Type) -> [AnyKeyPath] {
      [\Model.persistentModelID, \Model.id]
    }
    func identity<Value: Identifiable>(_ type: Value.Type) -> AnyKeyPath { \Value.id }
    let concrete: [AnyKeyPath] = [\PathThing.id, \PathThing.persistentModelID]
    let keyPaths = identified(PathThing.self) + [identity(PathThing.self)] + concrete
    for keyPath in keyPaths {
      let path = try ModelClass.of(PathThing.self).path(of: keyPath)
      #expect(path.properties.isEmpty && path.end == .identifier)
    }
  }

  @Test func `Key paths lead to elements of structures and to raw values`() throws {
    let city = try ModelClass.of(PathOwner.self).path(of: \PathOwner.address.city)
    #expect(city.end == .element(["city"]))
    let flag = try ModelClass.of(PathThing.self).path(of: \PathThing.owner?.address.isCurrent)
    #expect(flag.end == .element(["isCurrent"]) && flag.properties.map(\.name) == ["owner", "address"])
    let raw = try ModelClass.of(PathThing.self).path(of: \PathThing.kind.rawValue)
    #expect(raw.end == .element(["kind"]))
  }

  @Test func `A key path to a computed value is refused with a sentence`() {
    let computed: [(AnyKeyPath, any PersistentModel.Type)] = [
      (\PathThing.both, PathThing.self), (\PathOwner.address.shout, PathOwner.self),
      (\PathThing.title.count, PathThing.self), (\PathThing.hasChanges, PathThing.self),
    ]
    for (keyPath, type) in computed {
      #expect(throws: SwiftDataError.unsupportedKeyPath) { try ModelClass.of(type).path(of: keyPath) }
    }
  }
}
