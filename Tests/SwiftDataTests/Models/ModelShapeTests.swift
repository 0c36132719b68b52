import Foundation
import ManagedModel
import Testing

@testable public import SwiftData

// Class declarations as in real programs; most of these tests only have to compile.

/// A protocol that refines `PersistentModel`.
public protocol ShapeTag: PersistentModel {
  var name: String { get }
}

/// A model that adopts a protocol which refines `PersistentModel`.
@Model public final class ShapeIngredient: ShapeTag {
  /// A name.
  public var name: String
  init(name: String) { self.name = name }
}

/// Properties of every spelling.
@Model public final class ShapeOpen {
  /// A documented property.
  public private(set) var count = 0
  package var note: String?
  /// Without a type annotation.
  public var objects = [ShapeIngredient]?.some([])
  var created = Date.now
  var identity: UUID = UUID()
  var `default`: Int = -1
  /// Shadows the protocol's property.
  public var id: String
  #if os(Linux)
    var onLinux: Bool = true
    var everywhere: Int = 1
  #else
    var elsewhere: Bool = true
    var everywhere: String = ""
  #endif
  var last: Double
  @available(macOS 15, *) var new: String = ""
  @Attribute(.externalStorage) var photo: Data?
  @Attribute(.preserveValueOnDeletion, originalName: "was") var renamed: String = "x"
  @Attribute(name: "STORED") var spelled: String = ""
  @Attribute(.ephemeral) var cached: Int = 0
  @Transient var handler: (() -> Void)?
  static let constant = 3
  var computed: Int { count + 1 }

  /// Leaves most properties unassigned.
  public init(id: String) {
    self.id = id
    self.last = 1
  }

  func increment() { count += 1 }

  struct Nested: Codable { var part: Int }
  var nested: Nested = Nested(part: 2)
}

extension ShapeOpen {
  convenience init() { self.init(id: "made") }
  var doubled: Int { count * 2 }
}

@Model class ShapeShadow {
  var isDeleted: Bool
  var hasChanges: Bool = false
  init(isDeleted: Bool) { self.isDeleted = isDeleted }
}

@Model nonisolated final class ShapeFree {
  var name: String
  init(name: String) { self.name = name }
}

@MainActor @Model final class ShapeMain {
  var name: String
  var started = Date.now
  var other: ShapeMain?
  init(name: String) { self.name = name }
}

@available(macOS 26, *)
@Model final class ShapeAvailable {
  var name: String?
  init() {}
}

@Model(isAbstract: true, hashModifier: "2", originalName: "Old", entityName: "Named", userInfo: ["a": "b"])
class ShapeAbstract {
  var name: String = ""
  init() {}
}

@Model final class ShapeConcrete: ShapeAbstract {
  @Relationship(.ordered, minimumModelCount: 1, maximumModelCount: 5, name: "parts") var members: [ShapeFree] = []
  override init() { super.init() }
}

@Model final class ShapeOpaque {
  @Attribute(.transformable) var bytes: Data?
  @Attribute(.transformable(by: "nobody")) var lost: [Int]?
  @Attribute(.transformable(by: ShapeReverser.self)) var name: String
  @Attribute(.codable) var parts: [Int: String] = [:]
  init(name: String) { self.name = name }
}

final class ShapeReverser: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? { (value as? String).map { Data($0.utf8.reversed()) } }
  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).map { String(decoding: $0.reversed(), as: UTF8.self) }
  }
}

@Suite struct ModelShapeTests {
  @Test func `A transformer or the type's coding makes the bytes of an opaque attribute`() throws {
    let model = try #require(try Schema([ShapeOpaque.self]).lowered().entity(named: "ShapeOpaque"))
    #expect(model.attributes.map(\.type) == [.transformable, .transformable, .transformable, .binary])
    let name = OpaqueValue(.transformable(by: ShapeReverser.self))
    #expect(try name.bytes(of: "abc") == Data("cba".utf8) && name.read(String.self, from: Data("cba".utf8)) == "abc")
    let parts = OpaqueValue(.codable)
    #expect(try parts.read([Int: String].self, from: parts.bytes(of: [1: "a"])) == [1: "a"])
    #expect(parts.read([Int]?.self, from: Data([0, 255])) == .some(nil))
    #expect(throws: OpaqueValue.Problem.self) { try OpaqueValue(.transformable(by: "nobody")).bytes(of: [1]) }
  }

  @Test func `Properties of every spelling keep their assigned values`() {
    let shape = ShapeOpen(id: "1")
    shape.increment()
    shape.default = 4
    shape.objects?.append(ShapeIngredient(name: "salt"))
    shape.nested.part += 1
    #expect(shape.count == 1 && shape.default == 4 && shape.objects?.map(\.name) == ["salt"])
    #expect(shape.nested.part == 3 && shape.id == "1" && shape.last == 1 && shape.doubled == 2)
    #expect(shape.everywhere == 1 && shape.onLinux && ShapeOpen().id == "made")
    #expect(shape.identity != ShapeOpen(id: "2").identity)
  }

  @Test func `The schema has persisted properties only`() throws {
    let entity = try #require(Schema([ShapeOpen.self]).entitiesByName["ShapeOpen"])
    #expect(entity.attributesByName.keys.contains("STORED") && !entity.attributesByName.keys.contains("spelled"))
    #expect(entity.attributesByName["renamed"]?.options.contains(.preserveValueOnDeletion) == true)
    #expect(entity.attributesByName["renamed"]?.originalName == "was")
    #expect(!entity.attributesByName.keys.contains("handler") && !entity.attributesByName.keys.contains("computed"))
    #expect(entity.attributesByName["elsewhere"] == nil && entity.attributesByName["onLinux"] != nil)
    #expect(entity.relationshipsByName["objects"]?.destination == "ShapeIngredient")
  }

  @Test func `A stored property shadows a member of the protocol`() {
    let shape = ShapeShadow(isDeleted: true)
    #expect(shape.isDeleted && !shape.hasChanges)
    #expect(!(shape as any PersistentModel).isDeleted)
  }

  @Test func `An object made for a row evaluates no initial value`() {
    let blank = Materialization.makeBlank(ShapeOpen.self)
    let counter = StorageState()
    for property in ModelClass.of(ShapeOpen.self).properties { counter.visit(blank, property) }
    #expect(counter.filled.allSatisfy { !["created", "identity", "nested"].contains($0) })
  }

  @Test func `The lowered model has the arguments of @Model`() throws {
    let model = try Schema([ShapeConcrete.self]).lowered()
    let named = try #require(model.entity(named: "Named"))
    #expect(named.isAbstract && named.versionHashModifier == "2" && named.renamingIdentifier == "Old")
    let parts = try #require(model.entity(named: "ShapeConcrete")?.relationships.first)
    #expect(parts.name == "parts" && parts.isOrdered && parts.minimumCount == 1 && parts.maximumCount == 5)
    #expect(model.entity(named: "ShapeConcrete")?.superentityName == "Named")
  }

  private final class StorageState {
    var filled: [String] = []
    func visit(_ object: some PersistentModel, _ property: ModelClass.Property) {
      var visitor = Visitor()
      object._$visit(property.index, &visitor)
      if visitor.isFilled { filled.append(property.name) }
    }
    struct Visitor: _PropertyVisitor {
      var isFilled = false
      mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>) { isFilled = !storage._isPending }
      mutating func visit<Value>(_ storage: inout _ToOneStorage<Value>) { isFilled = !storage._isPending }
      mutating func visit<Value>(_ storage: inout _ToManyStorage<Value>) { isFilled = !storage._isPending }
    }
  }
}
