import ErrorReporting
import ManagedModel

extension ModelParser {
  /// Reads an `attribute` element of an entity or of a composite type. Reports a missing name and returns `nil`.
  ///
  /// - Parameter composites: the model's composite types; `nil` inside a composite type, whose elements are resolved
  ///   later.
  mutating func attribute(
    _ element: XMLElement, owner: String, composites: CompositeTypes?
  ) -> AttributeDescription? {
    guard let name = name(of: element, in: owner) else { return nil }
    var attribute = AttributeDescription(name: name, type: attributeType(element, owner: owner))
    attribute.isOptional = flag("optional", of: element)
    attribute.isTransient = flag("transient", of: element)
    attribute.valueClassName = text("customClassName", of: element)
    attribute.valueTransformerName = text("valueTransformerName", of: element)
    attribute.allowsExternalBinaryDataStorage = flag("allowsExternalBinaryDataStorage", of: element)
    attribute.preservesValueInHistoryOnDeletion = flag("preserveAfterDeletion", of: element)
    attribute.allowsCloudEncryption = flag("allowsCloudEncryption", of: element)
    attribute.isIndexed = flag("indexed", of: element)
    attribute.isIndexedBySpotlight = flag("spotlightIndexingEnabled", of: element)
    attribute.isStoredInExternalRecord = flag("storedInTruthFile", of: element)
    attribute.usesScalarValueType = flag("usesScalarValueType", of: element)
    attribute.regularExpression = text("regularExpressionString", of: element)
    attribute.derivation = derivation(element, owner: owner)
    attribute.renamingIdentifier = text("elementID", of: element)
    attribute.versionHashModifier = text("versionHashModifier", of: element)
    attribute.userInfo = userInfo(of: element)

    let values = AttributeValues(element, type: attribute.type)
    attribute.defaultValue = value(values.defaultValue, "default value", of: element, owner: owner)
    attribute.minimumValue = value(values.minimum, "minimum", of: element, owner: owner)
    attribute.maximumValue = value(values.maximum, "maximum", of: element, owner: owner)
    for unused in values.unused {
      report(
        .warning, element.line,
        "\(quoted(unused)) of \(describe(element)) of \(owner) has no meaning for \(attribute.type.article)",
        "remove it, or correct the attribute's type; it was left out")
    }
    if attribute.type == .composite {
      attribute.compositeName = text("composite", of: element)
      attribute.elements = compositeElements(of: element, owner: owner, composites)
    }
    return attribute
  }

  /// The attribute's type; Undefined if the element states none (VH-11).
  private mutating func attributeType(_ element: XMLElement, owner: String) -> AttributeType {
    guard let text = text("attributeType", of: element) else { return .undefined }
    if let type = AttributeType(modelName: text) { return type }
    let nearest = didYouMean(text, among: AttributeType.allCases.map(\.modelName))
    report(
      .error, element.line,
      "\(describe(element)) of \(owner) has the type \(quoted(text)), which is not known\(nearest)",
      "choose a type in the model editor")
    return .undefined
  }

  private mutating func derivation(_ element: XMLElement, owner: String) -> AttributeDescription.Derivation? {
    guard flag("derived", of: element) else { return nil }
    guard let expression = text("derivationExpression", of: element) else {
      report(
        .error, element.line, "\(describe(element)) of \(owner) is derived, but has no derivation",
        "write one, or make the attribute an ordinary one")
      return nil
    }
    return AttributeDescription.Derivation(expression: expression)
  }

  private mutating func compositeElements(
    of element: XMLElement, owner: String, _ composites: CompositeTypes?
  ) -> [AttributeDescription] {
    guard let name = text("composite", of: element) else {
      report(
        .error, element.line, "\(describe(element)) of \(owner) names no composite type", "choose one of the model's")
      return []
    }
    guard let composites else { return [] }
    guard let elements = composites.elements(of: name) else {
      reportUnknownComposite(name, of: element.line, "\(describe(element)) of \(owner)", among: composites.names)
      return []
    }
    return elements
  }

  mutating func reportUnknownComposite(
    _ name: String, of line: Int, _ place: String, among names: some Sequence<String>
  ) {
    report(
      .error, line,
      "\(place) is of the composite type \(quoted(name)), which is not in the model"
        + didYouMean(name, among: names), "add it or correct the name")
  }

  private mutating func value(
    _ reading: AttributeValues.Reading, _ role: String, of element: XMLElement, owner: String
  ) -> AttributeValue? {
    switch reading {
    case .absent: return nil
    case .value(let value): return value
    case .coerced(let value, let text):
      let form = if case .boolean = value { "YES or NO" } else { "a number" }
      report(
        .warning, element.line,
        "the \(role) of \(describe(element)) of \(owner) is \(quoted(text)), which was left from another type",
        "write \(form); it was read as Core Data's compiler reads it")
      return value
    case .invalid(let text, let expected):
      report(
        .warning, element.line,
        "the \(role) of \(describe(element)) of \(owner) is \(quoted(text)), not \(expected)",
        "write \(expected); it was left out")
      return nil
    }
  }
}
