import ErrorReporting
import ManagedModel

extension SchemaTranslator {
  /// The property for an attribute of an entity, or for an element of a composite.
  mutating func attribute(
    _ attribute: AttributeDescription, spelled: String, of entity: String, isUnique: Bool
  ) -> PropertyDeclaration {
    if let declaration = untyped(attribute, spelled: spelled, in: entity) { return declaration }
    let type = uses(self.type(of: attribute, in: entity))
    var arguments = options(of: attribute, in: entity, isUnique: isUnique)
    let (original, persistent) = recordedNames(
      attribute.name, spelled: spelled, renamingIdentifier: attribute.renamingIdentifier, in: entity)
    arguments += self.arguments([
      "name": persistent, "originalName": original, "hashModifier": nonEmpty(attribute.versionHashModifier),
    ])
    return PropertyDeclaration(
      attribute: arguments.isEmpty ? nil : AttributeDeclaration(name: "Attribute", arguments: arguments),
      name: spelled, type: type, initialValue: initialValue(of: attribute, in: entity),
      isParameter: attribute.derivation == nil)
  }

  /// For Apple's API, a transient attribute without a type becomes a variable that the store never sees.
  private mutating func untyped(
    _ attribute: AttributeDescription, spelled: String, in entity: String
  ) -> PropertyDeclaration? {
    guard attribute.isTransient, attribute.type == .undefined || attribute.type == .objectID, dialect == .apple else {
      return nil
    }
    note(
      .note, entity, attribute.name, "a type: the transient attribute has none",
      remedy: "give it one in the model")
    return PropertyDeclaration(
      attribute: AttributeDeclaration(name: "Transient"), name: spelled,
      type: TypeReference(name: "Any", isOptional: true), initialValue: Expression.none)
  }

  /// The property's type. Adds a note for each fact that the type does not express.
  private mutating func type(of attribute: AttributeDescription, in entity: String) -> TypeReference {
    var type = plainType(of: attribute, in: entity)
    type.isOptional = attribute.isOptional || type.isOptional
    return type
  }

  private mutating func plainType(of attribute: AttributeDescription, in entity: String) -> TypeReference {
    if let enumeration = attribute.enumeration { return TypeReference(name: names.type(of: enumeration)) }
    if let type = AttributeTypes.type(of: attribute.type) { return type }
    let data = TypeReference(name: "Data", module: "Foundation")
    switch attribute.type {
    case .composite:
      return TypeReference(name: names.type(of: SwiftNames.composite(of: attribute)))
    case .transformable:
      if let valueClass = attribute.valueClassName, let type = AttributeTypes.collection(named: valueClass),
        nonEmpty(attribute.valueTransformerName).map(AttributeTypes.secureTransformers.contains) ?? true
      {
        return type
      }
      if dialect == .apple {
        let valueClass = nonEmpty(attribute.valueClassName).map { " \(quoted($0))" } ?? ""
        note(
          .note, entity, attribute.name,
          "the value class\(valueClass) of the transformable attribute, which is declared as bytes",
          remedy: "transform the bytes in a computed property")
      }
      return data
    default:
      if attribute.isTransient { return TypeReference(name: "Any", isOptional: true) }
      if dialect == .apple {
        note(
          .warning, entity, attribute.name, "its type, which no store can hold; it is declared as bytes",
          remedy: "give it a type in the model")
      }
      return data
    }
  }

  private mutating func options(
    of attribute: AttributeDescription, in entity: String, isUnique: Bool
  ) -> [Argument] {
    var options: [Expression] = []
    if isUnique { options.append(.member("unique")) }
    if attribute.type == .transformable, !isPlainCollection(attribute) {
      options.append(transformable(nonEmpty(attribute.valueTransformerName)))
      if dialect == .open, let valueClass = nonEmpty(attribute.valueClassName) {
        options.append(.call(".valueClass", [Argument(nil, .string(valueClass))]))
      }
    }
    if attribute.allowsExternalBinaryDataStorage { options.append(.member("externalStorage")) }
    if attribute.preservesValueInHistoryOnDeletion { options.append(.member("preserveValueOnDeletion")) }
    if attribute.allowsCloudEncryption { options.append(.member("allowsCloudEncryption")) }
    if attribute.isIndexedBySpotlight { options.append(.member("spotlight")) }
    if attribute.isTransient { options.append(.member("ephemeral")) }
    if dialect == .open, attribute.type == .undefined { options.append(.member("untyped")) }
    if dialect == .open, attribute.type == .objectID { options.append(.member("objectIdentifier")) }
    if let derivation = attribute.derivation,
      maySpell(.warning, entity, attribute.name, "the derivation from \(quoted(derivation.expression))")
    {
      let filter = nonEmpty(derivation.filteringPredicate).map { [Argument("where", .string($0))] } ?? []
      options.append(.call(".derived", [Argument(nil, .string(derivation.expression))] + filter))
    }
    if let rules = ValidationRules.phrase(for: attribute), maySpell(.note, entity, attribute.name, rules) {
      options += ValidationRules.options(for: attribute)
      for rule in ValidationRules.unreadable(of: attribute) {
        note(.note, entity, attribute.name, rule, remedy: "correct it in the model")
      }
    }
    if attribute.isStoredInExternalRecord, maySpell(.note, entity, attribute.name, "storage in an external record") {
      options.append(.member("externalRecord"))
    }
    if let userInfo = userInfo(attribute.userInfo, entity, attribute.name) { options.append(userInfo) }
    return options.map { Argument(nil, $0) }
  }

  /// `.userInfo([…])`; `nil` if there is no user info, or if the source is for Apple's API.
  mutating func userInfo(_ userInfo: [String: UserInfoValue], _ entity: String, _ property: String) -> Expression? {
    guard !userInfo.isEmpty, maySpell(.note, entity, property, UserInfoExpression.phrase(for: userInfo)) else {
      return nil
    }
    usesFoundation(for: userInfo)
    return .call(".userInfo", [Argument(nil, UserInfoExpression.expression(for: userInfo))])
  }

  /// Whether SwiftData stores the collection in this way without an option.
  private func isPlainCollection(_ attribute: AttributeDescription) -> Bool {
    guard attribute.valueTransformerName == "NSSecureUnarchiveFromData", let valueClass = attribute.valueClassName,
      AttributeTypes.collection(named: valueClass) != nil
    else { return false }
    return ["Array<", "Set<", "Dictionary<"].contains(where: valueClass.hasPrefix)
  }

  /// Apple's option has to name a transformer. If the model names none, Core Data uses the keyed archiver.
  private func transformable(_ transformer: String?) -> Expression {
    if transformer == nil, dialect == .open { return .member("transformable") }
    return .call(".transformable", [Argument("by", .string(transformer ?? AttributeTypes.defaultTransformer))])
  }

  /// The arguments with a value, in the given order.
  func arguments(_ texts: KeyValuePairs<String, String?>) -> [Argument] {
    texts.compactMap { label, text in text.map { Argument(label, .string($0)) } }
  }

  /// The former name of a property, and its persistent name if Swift spells it differently.
  ///
  /// Apple's API cannot state a persistent name. For this API, the persistent name becomes the former name.
  mutating func recordedNames(
    _ name: String, spelled: String, renamingIdentifier: String?, in entity: String
  ) -> (original: String?, persistent: String?) {
    let original = nonEmpty(renamingIdentifier).flatMap { $0 == name ? nil : $0 }
    guard spelled != name else { return (original, nil) }
    let mayRecord = maySpell(.warning, entity, name, "the stored name \(quoted(name)) of the property \(spelled)")
    return mayRecord ? (original, name) : (original ?? name, nil)
  }

  mutating func initialValue(of attribute: AttributeDescription, in entity: String) -> Expression? {
    if attribute.derivation != nil, !attribute.isOptional { return AttributeTypes.neutralValue(of: attribute.type) }
    guard let value = attribute.defaultValue, attribute.derivation == nil else { return nil }
    if let enumeration = attribute.enumeration, case .string(let label) = value {
      let match = zip(enumeration.labels, SwiftNames.cases(of: enumeration)).first { $0.0 == label }
      if let match { return .name("\(names.type(of: enumeration)).\(match.1)") }
    } else if let expression = AttributeTypes.expression(for: value, type: attribute.type) {
      return expression
    }
    note(
      .note, entity, attribute.name, "the default value, which does not fit its type",
      remedy: "correct it in the model")
    return nil
  }
}
