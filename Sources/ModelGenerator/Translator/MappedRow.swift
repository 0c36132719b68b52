import ManagedModel

/// A value in generated source, with its type.
struct SwiftValue {
  var text: String
  var type: TypeReference
  /// Whether the text calls a function that throws.
  var isThrowing = false
  /// The attribute that the value comes from unchanged.
  var attribute: AttributeDescription?

  static let identifier = "PersistentIdentifier"

  /// The text with `try` where it is needed.
  var effect: String { isThrowing ? "try \(text)" : text }
}

/// Collects the fields of a source row that a mapping's code reads.
struct MappedRow {
  let version: VersionParts
  let entity: String
  private(set) var fields: [MappedStageDeclaration.RowDeclaration.Field] = []
  private(set) var modules: Set<String> = []
  private var values: [[String]: SwiftValue] = [:]
  private var claims = NameClaims(
    reserved: ReservedNames.elements.union(["persistentModelID", "object"]))

  init(version: VersionParts, entity: String) {
    self.version = version
    self.entity = entity
  }

  /// The value at a key path, as a field of `row`; `nil` if no Swift key path reads it.
  mutating func value(at path: [String]) -> SwiftValue? {
    if let known = values[path] { return known }
    guard let read = read(path) else { return nil }
    let words = path.enumerated().map { $0.offset == 0 ? $0.element : SwiftIdentifier.capitalized($0.element) }
    let spelled = path.count == 1 ? version.names.property(path[0], of: entity) : words.joined()
    let name = claims.claim(SwiftIdentifier.propertyName(spelled))
    let identifier = ExpressionRenderer.identifier(name)
    fields.append(.init(name: identifier, type: version.qualified(read.type), value: read.text))
    if let module = read.type.module { modules.insert(module) }
    let value = SwiftValue(text: "row.\(identifier)", type: read.type, attribute: read.attribute)
    values[path] = value
    return value
  }

  /// Adds every stored property of the entity.
  mutating func addEverything() {
    for property in version.graph.properties(of: entity) where !property.isTransient { _ = value(at: [property.name]) }
  }

  /// Walks from the source `object` along a key path. Objects are read as identifiers, because they end with the stage.
  ///
  /// A path through an absent object has no value, as in Core Data.
  private func read(_ path: [String]) -> SwiftValue? {
    var place = entity
    /// The object that has the next property.
    var owner = Chain(text: "object")
    for (position, key) in path.enumerated() {
      let isLast = position == path.count - 1
      guard let property = version.graph.property(key, of: place), let declared = version.property(key, of: place)
      else {
        return nil
      }
      let next = owner.appending(declared)
      switch property {
      case .attribute(let attribute):
        guard isLast else { return nil }
        var type = declared.type
        type.isOptional = next.isOptional
        return SwiftValue(text: next.text, type: type, attribute: attribute)
      case .relationship(let relationship):
        if relationship.isToMany {
          let rest = path.suffix(from: position + 1)
          return rest == ["@count"] ? count(declared, of: owner) : rest.isEmpty ? identifiers(next) : nil
        }
        if isLast {
          return SwiftValue(
            text: next.text + next.link + "persistentModelID",
            type: TypeReference(name: SwiftValue.identifier, isOptional: next.isOptional))
        }
        owner = next
        place = relationship.destinationEntityName
      case .fetchedProperty: return nil
      }
    }
    return nil
  }

  /// The number of members; no value if the path to their owner has none.
  private func count(_ members: PropertyDeclaration, of owner: Chain) -> SwiftValue {
    func number(_ owner: String) -> String {
      let text = "\(owner).\(ExpressionRenderer.identifier(members.name))"
      return members.type.isOptional ? "\(text)?.count ?? 0" : "\(text).count"
    }
    guard owner.isOptional else {
      return SwiftValue(text: number(owner.text), type: TypeReference(name: "Int"))
    }
    return SwiftValue(
      text: "\(owner.operand).map { \(number("$0")) }", type: TypeReference(name: "Int", isOptional: true))
  }

  private func identifiers(_ members: Chain) -> SwiftValue {
    let text = members.text + members.link + "map(\\.persistentModelID)"
    return SwiftValue(
      text: members.isOptional ? "\(text) ?? []" : text, type: TypeReference(name: SwiftValue.identifier, isArray: true)
    )
  }

  /// An optional chain.
  private struct Chain {
    var text: String
    /// Whether the whole chain may be `nil`.
    var isOptional = false
    /// Whether its last property may be `nil`. Only then does a question mark follow it.
    var isLastOptional = false

    var link: String { isLastOptional ? "?." : "." }
    /// The chain as one operand.
    var operand: String { text.contains("?") ? "(\(text))" : text }

    func appending(_ property: PropertyDeclaration) -> Chain {
      Chain(
        text: text + link + ExpressionRenderer.identifier(property.name),
        isOptional: isOptional || property.type.isOptional, isLastOptional: property.type.isOptional)
    }
  }
}
