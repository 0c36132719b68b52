/// What the bytes of an attribute of type binary or transformable are. An engine may keep them in a form of its own.
///
/// No version hash and no archive of a model has it.
package enum AttributeContents: Sendable, Hashable {
  /// JSON text, which a `Codable` value encodes itself as.
  case json
  /// A keyed archive of plain values: an array, a set or a dictionary.
  case archive
  /// A keyed archive of an array whose elements all are values of one type, and none is missing.
  case array(of: AttributeType)

  /// The contents of a collection that is archived, by the name of its type such as `Array<String>`; `nil` for another type.
  package init?(collectionNamed name: String) {
    if name.hasPrefix("Array<"), name.hasSuffix(">"), let element = Self.elements[String(name.dropFirst(6).dropLast())]
    {
      self = .array(of: element)
    } else if ["Array<", "Set<", "Dictionary<"].contains(where: { name.hasPrefix($0) }) {
      self = .archive
    } else {
      return nil
    }
  }

  private static let elements: [String: AttributeType] = [
    "String": .string, "Int": .integer64, "Int64": .integer64, "Int32": .integer32, "Int16": .integer16,
    "Float": .float, "Double": .double, "Decimal": .decimal, "Data": .binary, "Bool": .boolean, "UUID": .uuid,
    "Date": .date,
  ]

  /// The name of an array's type with elements that are no enumeration; `nil` for other contents.
  package var plainArrayName: String? {
    guard case .array(let element) = self else { return nil }
    return Self.elements.filter { $0.value == element }.keys.min().map { "Array<\($0)>" }
  }

  /// The contents in a record.
  package var word: String {
    switch self {
    case .json: "json"
    case .archive: "archive"
    case .array(let element): "array \(element.rawValue)"
    }
  }

  /// `nil` for a word of another version.
  package init?(word: String) {
    let parts = word.split(separator: " ")
    switch (parts.first, parts.count) {
    case ("json", 1): self = .json
    case ("archive", 1): self = .archive
    case ("array", 2):
      guard let element = UInt32(parts[1]).flatMap({ AttributeType(rawValue: $0) }) else { return nil }
      self = .array(of: element)
    default: return nil
    }
  }
}

/// A part of a value that comparisons leave out.
@propertyWrapper
package struct Uncompared<Value: Sendable>: Sendable, Hashable {
  package var wrappedValue: Value

  package init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

  package static func == (left: Self, right: Self) -> Bool { true }
  package func hash(into hasher: inout Hasher) {}
}

extension ModelDescription {
  /// The model with other attributes; a closure is called with each attribute and the name of the entity that declares it.
  package func mappingAttributes(
    _ change: (AttributeDescription, _ entity: String) -> AttributeDescription
  ) -> ModelDescription {
    var result = self
    for (index, entity) in entities.enumerated() {
      result.entities[index].properties = entity.properties.map { property in
        guard case .attribute(let attribute) = property else { return property }
        return .attribute(change(attribute, entity.name))
      }
    }
    return result
  }

  /// The model with the contents of the collections that SwiftData keeps as archives, which it tells by the name of their type.
  package func inferringContents() -> ModelDescription {
    mappingAttributes { attribute, _ in
      var attribute = attribute
      let contents = attribute.valueClassName.flatMap { AttributeContents(collectionNamed: $0) }
      if attribute.type == .transformable, attribute.valueTransformerName == "NSSecureUnarchiveFromData", let contents {
        attribute.contents = contents
      }
      return attribute
    }
  }

  /// The model with the contents that the columns of a store have, where it has an attribute of the same type already.
  ///
  /// Bytes stay bytes, and an archive stays one. JSON becomes bytes if the attribute asks for bytes. An array stays one with the same
  /// elements; else it becomes an archive, which can hold any collection.
  ///
  /// - Parameter isReadOnly: whether the columns stay as they are.
  package func keepingContents(of stored: ModelDescription, isReadOnly: Bool = false) -> ModelDescription {
    let matching = ModelMatching(from: stored, to: self)
    let former = EntityGraph(stored)
    var matches: [String: [String: String]] = [:]
    return mappingAttributes { attribute, entity in
      let names = matches[entity] ?? matching.properties(of: entity)
      matches[entity] = names
      guard let source = matching.source(of: entity), let name = names[attribute.name],
        case .attribute(let old)? = former.property(name, of: source)
      else { return attribute }
      return attribute.keepingContents(of: old, isReadOnly: isReadOnly)
    }
  }
}

extension AttributeDescription {
  fileprivate func keepingContents(of old: AttributeDescription, isReadOnly: Bool) -> AttributeDescription {
    guard type == old.type else { return self }
    var result = self
    result.contents =
      switch old.contents {
      case nil: nil
      case .archive: .archive
      case .json: contents == nil ? nil : .json
      case .array: isReadOnly || contents == old.contents ? old.contents : .archive
      }
    // The only element of an enumeration has the attribute's name.
    let isSole = elements.count == 1 && old.elements.count == 1
    result.elements = elements.map { element in
      let former = isSole ? old.elements.first : formerElement(of: element.name, in: old)
      return former.map { element.keepingContents(of: $0, isReadOnly: isReadOnly) } ?? element
    }
    return result
  }
}
