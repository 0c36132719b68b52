/// What the bytes of an attribute of type binary or transformable are. An engine may keep them in a form of its own.
///
/// No version hash and no archive of a model has it.
package enum AttributeContents: String, Sendable, Hashable {
  /// JSON text, which a `Codable` value encodes itself as.
  case json
  /// A keyed archive of plain values: an array, a set or a dictionary.
  case archive
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
      let type = attribute.valueClassName ?? ""
      let isCollection = ["Array<", "Set<", "Dictionary<"].contains { type.hasPrefix($0) }
      if attribute.type == .transformable, attribute.valueTransformerName == "NSSecureUnarchiveFromData", isCollection {
        attribute.contents = .archive
      }
      return attribute
    }
  }

  /// The model with the contents that the columns of a store have, where it has an attribute of the same type already.
  ///
  /// Bytes stay bytes, and an archive stays one. JSON becomes bytes if the attribute asks for bytes.
  package func keepingContents(of stored: ModelDescription) -> ModelDescription {
    let matching = ModelMatching(from: stored, to: self)
    let former = EntityGraph(stored)
    var matches: [String: [String: String]] = [:]
    return mappingAttributes { attribute, entity in
      let names = matches[entity] ?? matching.properties(of: entity)
      matches[entity] = names
      guard let source = matching.source(of: entity), let name = names[attribute.name],
        case .attribute(let old)? = former.property(name, of: source)
      else { return attribute }
      return attribute.keepingContents(of: old)
    }
  }
}

extension AttributeDescription {
  fileprivate func keepingContents(of old: AttributeDescription) -> AttributeDescription {
    guard type == old.type else { return self }
    var result = self
    result.contents =
      switch old.contents {
      case nil: nil
      case .archive: .archive
      case .json: contents == nil ? nil : .json
      }
    // The only element of an enumeration has the attribute's name.
    let isSole = elements.count == 1 && old.elements.count == 1
    result.elements = elements.map { element in
      let former = isSole ? old.elements.first : old.elements.first { $0.name == element.name }
      return former.map { element.keepingContents(of: $0) } ?? element
    }
    return result
  }
}
