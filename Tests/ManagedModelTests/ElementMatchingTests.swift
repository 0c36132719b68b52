import Testing

@testable import ManagedModel

@Suite("Elements of composite attributes in two versions of a model")
struct ElementMatchingTests {
  private static func composite(
    _ name: String, _ elements: [AttributeDescription], formerly: String? = nil
  ) -> AttributeDescription {
    AttributeDescription(name: name, type: .composite, elements: elements, renamingIdentifier: formerly)
  }

  private static func element(_ name: String, formerly: String? = nil) -> AttributeDescription {
    AttributeDescription(name: name, type: .double, isOptional: true, renamingIdentifier: formerly)
  }

  private static let old = composite("place", [element("a"), element("b"), composite("point", [element("x")])])

  @Test("Without renaming identifiers, names decide; the attribute itself may have another name")
  func names() {
    let new = Self.composite(
      "where", [Self.element("b"), Self.element("c"), Self.composite("point", [Self.element("x")])])
    #expect(new.formerPath(of: ["where", "b"], in: Self.old) == ["place", "b"])
    #expect(new.formerPath(of: ["where", "c"], in: Self.old) == nil)
    #expect(new.formerPath(of: ["where", "point", "x"], in: Self.old) == ["place", "point", "x"])
    #expect(Self.element("w").formerPath(of: ["w"], in: Self.element("v")) == ["v"])
  }

  @Test("A renaming identifier leads to the former element, at each level, and two elements may exchange their names")
  func renamed() {
    let new = Self.composite(
      "place",
      [
        Self.element("a", formerly: "b"), Self.element("b", formerly: "a"),
        Self.composite("spot", [Self.element("lon", formerly: "x"), Self.element("x")], formerly: "point"),
      ])
    #expect(new.formerPath(of: ["place", "a"], in: Self.old) == ["place", "b"])
    #expect(new.formerPath(of: ["place", "b"], in: Self.old) == ["place", "a"])
    #expect(new.formerPath(of: ["place", "spot", "lon"], in: Self.old) == ["place", "point", "x"])
    // The name of a renamed element is free for a new one.
    #expect(new.formerPath(of: ["place", "spot", "x"], in: Self.old) == nil)
  }

  @Test("The only element of a renamed enumeration is the same, as it has the name of the attribute")
  func enumerations() {
    func enumeration(_ name: String, isMarked: Bool = true) -> AttributeDescription {
      var attribute = Self.composite(name, [Self.element(name)])
      if isMarked { attribute.userInfo["EnumType"] = .boolean(true) }
      return attribute
    }
    let (old, new) = (enumeration("size"), enumeration("extent"))
    #expect(new.formerPath(of: ["extent", "extent"], in: old) == ["size", "size"])
    #expect(new.removedElements(of: old) == [])
    // The members of a structure have names of their own.
    #expect(
      enumeration("extent", isMarked: false).removedElements(of: enumeration("size", isMarked: false)) == ["size"])
  }

  @Test("The elements whose values go are told by their former paths")
  func removed() {
    let new = Self.composite(
      "where",
      [Self.element("c", formerly: "b"), Self.composite("spot", [Self.element("y")], formerly: "point")])
    #expect(new.removedElements(of: Self.old) == ["a", "point.x"])
    #expect(Self.old.removedElements(of: Self.old) == [])
    let model = { ModelDescription(entities: [EntityDescription(name: "E", properties: [.attribute($0)])]) }
    let moved = Self.composite("place", [Self.element("b"), Self.element("d")])
    let change = ModelDifference(from: model(Self.old), to: model(moved)).changes.first
    #expect(change?.phrase == "has other elements, and the values of “a”, “point” go")
  }
}
