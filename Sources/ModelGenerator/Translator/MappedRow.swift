import ManagedModel

/// A value in generated source, with its type.
struct SwiftValue {
  var text: String
  var type: TypeReference

  static let identifier = "PersistentIdentifier"
}

/// Collects the fields of a source row that a mapping's code reads.
struct MappedRow {
  let version: VersionParts
  let entity: String
  private(set) var fields: [MappedStageDeclaration.RowDeclaration.Field] = []
  private(set) var modules: Set<String> = []
  private var values: [[String]: SwiftValue] = [:]
  private var claims = NameClaims(reserved: ["persistentModelID", "object", "self", "init"])

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
    let value = SwiftValue(text: "row.\(identifier)", type: read.type)
    values[path] = value
    return value
  }

  /// Adds every stored property of the entity.
  mutating func addEverything() {
    for property in version.graph.properties(of: entity) where !property.isTransient { _ = value(at: [property.name]) }
  }

  /// Walks from the source `object` along a key path. Objects are read as identifiers, because they end with the stage.
  private func read(_ path: [String]) -> SwiftValue? {
    var text = "object"
    var place = entity
    var isOptional = false
    for (position, key) in path.enumerated() {
      let isLast = position == path.count - 1
      guard let property = version.graph.property(key, of: place), let declared = version.property(key, of: place)
      else {
        return nil
      }
      text += (isOptional ? "?." : ".") + ExpressionRenderer.identifier(declared.name)
      switch property {
      case .attribute:
        guard isLast else { return nil }
        var type = declared.type
        type.isOptional = type.isOptional || isOptional
        return SwiftValue(text: text, type: type)
      case .relationship(let relationship):
        let mayBeAbsent = isOptional || declared.type.isOptional
        if relationship.isToMany {
          let rest = path.suffix(from: position + 1)
          if rest == ["@count"] {
            let count = "\(text)\(mayBeAbsent ? "?" : "").count\(mayBeAbsent ? " ?? 0" : "")"
            return SwiftValue(text: count, type: TypeReference(name: "Int"))
          }
          guard isLast else { return nil }
          let identifiers =
            mayBeAbsent ? "\(text)?.map(\\.persistentModelID) ?? []" : "\(text).map(\\.persistentModelID)"
          return SwiftValue(text: identifiers, type: TypeReference(name: SwiftValue.identifier, isArray: true))
        }
        if isLast {
          return SwiftValue(
            text: "\(text)\(mayBeAbsent ? "?" : "").persistentModelID",
            type: TypeReference(name: SwiftValue.identifier, isOptional: mayBeAbsent))
        }
        isOptional = mayBeAbsent
        place = relationship.destinationEntityName
      case .fetchedProperty: return nil
      }
    }
    return nil
  }
}
