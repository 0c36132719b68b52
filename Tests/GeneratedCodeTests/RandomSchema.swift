import TestSupport

/// A random schema of model classes: hierarchies of up to four levels, attributes of every type and relationships of
/// every kind, also among classes below the same class.
struct RandomSchema {
  struct Class {
    let name: String
    let superclass: String?
    let level: Int
    var isAbstract = false
    var attributes: [Attribute] = []
    var links: [Link] = []
  }

  struct Attribute {
    let name: String
    let type: AttributeType
    let isOptional: Bool
  }

  /// One side of a relationship.
  struct Link {
    let name: String
    let destination: String
    let isToMany: Bool
    /// What stands within `@Relationship(…)`; the other side of a relationship has none.
    let options: String?
  }

  /// The type of an attribute and the value that it has before it is set.
  struct AttributeType {
    let name: String
    let initialValue: String

    static let all: [AttributeType] = [
      .init(name: "String", initialValue: "\"\""), .init(name: "String", initialValue: "\"\""),
      .init(name: "Int", initialValue: "0"), .init(name: "Int32", initialValue: "0"),
      .init(name: "Int16", initialValue: "0"), .init(name: "Int64", initialValue: "0"),
      .init(name: "Double", initialValue: "0"), .init(name: "Float", initialValue: "0"),
      .init(name: "Decimal", initialValue: "0"), .init(name: "Bool", initialValue: "false"),
      .init(name: "Date", initialValue: "Date(timeIntervalSinceReferenceDate: 0)"),
      .init(name: "UUID", initialValue: "UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))"),
      .init(name: "URL", initialValue: "URL(fileURLWithPath: \"/\")"), .init(name: "Data", initialValue: "Data()"),
      .init(name: "Mood", initialValue: "Mood.calm"), .init(name: "Level", initialValue: "Level.low"),
      .init(name: "Place", initialValue: "Place()"), .init(name: "[String]", initialValue: "[]"),
    ]

    /// Whether a sort descriptor takes it.
    var isSorted: Bool { !["URL", "Data", "Place", "[String]"].contains(name) }
  }

  let name: String
  private(set) var classes: [Class] = []
  private var usedNames: [String: Set<String>] = [:]

  /// Names that mean something to SQL, to Core Data's layout or to Swift, among plain ones.
  private static let properties = [
    "name", "size", "order", "größe", "group", "value", "isOn", "when", "z_pk", "select", "key", "ent", "opt", "n0",
    "from", "rank",
  ]

  init(_ name: String, _ random: inout SplitMix) {
    self.name = name
    for root in 0..<(2 + random.below(2)) { add("\(["Asset", "Order", "Größe"][root])", below: nil, &random) }
    for number in 0..<(4 + random.below(6)) { addLink(number, &random) }
  }

  /// A class and all above it, the highest first.
  func line(of name: String) -> [Class] {
    guard let found = classes.first(where: { $0.name == name }) else { return [] }
    return (found.superclass.map { line(of: $0) } ?? []) + [found]
  }

  func children(of name: String) -> [Class] { classes.filter { $0.superclass == name } }

  private mutating func add(_ name: String, below parent: Class?, _ random: inout SplitMix) {
    var used = parent.flatMap { usedNames[$0.name] } ?? []
    var new = Class(name: name, superclass: parent?.name, level: (parent?.level ?? 0) + 1)
    for _ in 0..<(parent == nil ? 4 + random.below(5) : 1 + random.below(3)) {
      let property = Self.properties[random.below(Self.properties.count)]
      guard used.insert(property).inserted else { continue }
      let type = AttributeType.all[random.below(AttributeType.all.count)]
      new.attributes.append(
        Attribute(name: property, type: type, isOptional: type.name != "[String]" && random.once(in: 2)))
    }
    usedNames[name] = used
    let childCount = new.level < 4 ? random.below(new.level == 1 ? 4 : 3) : 0
    new.isAbstract = childCount > 0 && random.once(in: 4)
    classes.append(new)
    for child in 0..<childCount { add("\(name)\(child)", below: new, &random) }
  }

  private mutating func addLink(_ number: Int, _ random: inout SplitMix) {
    let source = random.below(classes.count)
    // A class itself, any class, or another below the same class.
    var other = random.once(in: 4) ? source : random.below(classes.count)
    if random.once(in: 4), let superclass = classes[source].superclass {
      let siblings = classes.indices.filter { classes[$0].superclass == superclass }
      other = siblings[random.below(siblings.count)]
    }
    let (name, inverse) = ("r\(number)", "i\(number)")
    let (from, to) = (classes[source].name, classes[other].name)
    let order = random.once(in: 2) ? ".ordered, " : ""
    func add(_ isToMany: Bool, _ options: String, inverseIsToMany: Bool? = nil, to: String = to) {
      classes[source].links.append(Link(name: name, destination: to, isToMany: isToMany, options: options))
      guard let inverseIsToMany else { return }
      classes[other].links.append(Link(name: inverse, destination: from, isToMany: inverseIsToMany, options: nil))
    }
    let answered = "inverse: \\\(to).\(inverse)"
    switch random.below(9) {
    case 0, 1: add(true, order + answered, inverseIsToMany: false)
    case 2: add(false, answered, inverseIsToMany: false)
    case 3, 4: add(true, order + answered, inverseIsToMany: true)
    case 5: add(false, ".noInverse")
    case 6: add(true, order + ".noInverse")
    case 7: add(true, ".selfInverse", to: from)
    default: add(false, ".selfInverse", to: from)
    }
  }
}
