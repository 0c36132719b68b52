import ErrorReporting
import ManagedModel
import PostgreSQL

extension ModelDescription {
  /// Whether all names are in ASCII. Then equal names have equal bytes; a letter beyond ASCII has several forms.
  var hasNamesInASCII: Bool {
    func isASCII(_ attribute: AttributeDescription) -> Bool {
      attribute.name.isASCII && attribute.elements.allSatisfy(isASCII)
    }
    return entities.allSatisfy { entity in
      entity.name.isASCII && entity.attributes.allSatisfy(isASCII)
        && entity.relationships.allSatisfy { $0.name.isASCII }
    }
  }

  /// Checks that tables and columns can have the model's names.
  ///
  /// - Throws: ``StoreProblem`` for a name with a NUL character.
  func checkNames() throws {
    func check(_ name: String, _ subject: String) throws {
      guard name.hasNUL else { return }
      throw StoreProblem(
        "the name of \(subject) \(quoted(name.withoutNUL)) has a NUL character (U+0000), which no name of a database can have",
        remedy: "remove it from the model")
    }
    func check(_ attribute: AttributeDescription) throws {
      try check(attribute.name, "attribute")
      for element in attribute.elements { try check(element) }
    }
    for entity in entities {
      try check(entity.name, "entity")
      for attribute in entity.attributes { try check(attribute) }
      for relationship in entity.relationships { try check(relationship.name, "relationship") }
    }
  }
}

extension String {
  fileprivate var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }
}
