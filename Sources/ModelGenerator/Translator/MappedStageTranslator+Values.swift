import ErrorReporting
import ManagedModel

/// Statements that set the properties of new objects.
extension MappedStageTranslator {
  /// The statements for one property; none where the stage sets it by itself.
  mutating func statements(
    _ property: MappingResolution.Property, of entity: MappingResolution.Entity, _ new: EntityDescription,
    _ row: inout MappedRow, _ rowName: String
  ) -> (resets: [String], assignments: [String]) {
    guard let declared = destination.property(property.property.name, of: new.name), declared.isAssignable,
      !property.property.isTransient || property.value != .none
    else { return ([], []) }
    let target = "object.\(ExpressionRenderer.identifier(declared.name))"
    switch (property.value, property.property) {
    case (_, .fetchedProperty): return ([], [])
    case (.none, .attribute(let attribute)):
      if let statements = reset(attribute, declared, target, of: entity) { return ([], statements) }
    case (_, .attribute(let attribute)) where correspondence.isInferred(attribute, property.value, of: entity):
      return ([], [])
    case (.mapped(let value), .attribute(let attribute)):
      var expressions = MappedExpressions(property: "\(new.name).\(attribute.name)")
      if let value = expressions.value(value, &row, wanted: declared.type),
        let statement = assignment(target, attribute, declared.type, of: value, &expressions)
      {
        helpers.formUnion(expressions.helpers)
        for module in [declared.type.module, value.type.module] { module.map { _ = modules.insert($0) } }
        return ([], [statement])
      }
    case (_, .relationship(let relationship)) where correspondence.isInferred(relationship, of: entity):
      return ([], [])
    case (.none, .relationship(let relationship)):
      guard correspondence.carries(property.property, of: entity) else { return ([], []) }
      if let statement = Self.clearing(declared) { return ([statement], []) }
      if correspondence.isSetByInverse(relationship) { return ([], []) }
    case (.mapped(.rows(let path, let mapping)), .relationship(let relationship)):
      if let statement = links(path, mapping, relationship, of: entity, target, declared.type, of: new, &row) {
        return ([], [statement])
      }
    case (.unknown, _), (.mapped, .relationship): break
    }
    return ([], [stub(property, declared, target, of: entity, new, &row, rowName)])
  }

  /// The statements that give an attribute its default value, which the mapping model does not set; `nil` if it has none.
  private mutating func reset(
    _ attribute: AttributeDescription, _ declared: PropertyDeclaration, _ target: String,
    of entity: MappingResolution.Entity
  ) -> [String]? {
    let isCarried = correspondence.carries(.attribute(attribute), of: entity)
    if let value = declared.initialValue {
      guard isCarried else { return [] }
      if let module = declared.type.module { modules.insert(module) }
      return ["\(target) = \(ExpressionRenderer.render(value))"]
    }
    if declared.type.isOptional { return isCarried ? ["\(target) = nil"] : [] }
    // The inferred mapping refuses a new mandatory attribute without a default value.
    return isCarried || !correspondence.isKept(entity) ? nil : []
  }

  private func assignment(
    _ target: String, _ attribute: AttributeDescription, _ type: TypeReference, of value: SwiftValue,
    _ expressions: inout MappedExpressions
  ) -> String? {
    guard attribute.type == .composite || value.attribute?.type == .composite else {
      return expressions.assignment(target, type, from: value)
    }
    let composites = MappedComposites(source: source, destination: destination)
    guard let former = value.attribute,
      let copy = composites.copy(value.type.isOptional ? "$0" : value.text, of: former, as: attribute)
    else { return nil }
    guard value.type.isOptional else { return "\(target) = \(copy)" }
    let mapped = "\(value.text).map({ \(copy) })"
    return type.isOptional
      ? "\(target) = \(mapped)"
      : "\(target) = try \(expressions.use(.required))(\(mapped), for: \(expressions.label))"
  }

  /// The function that the developer writes for a value that has no form in Swift.
  private mutating func stub(
    _ property: MappingResolution.Property, _ declared: PropertyDeclaration, _ target: String,
    of entity: MappingResolution.Entity, _ new: EntityDescription, _ row: inout MappedRow, _ rowName: String
  ) -> String {
    row.addEverything()
    let function = claims.claim(
      SwiftIdentifier.lowercased(SwiftIdentifier.typeName(new.name)) + SwiftIdentifier.capitalized(declared.name))
    let name = "\(new.name).\(property.property.name)"
    let mapping = "in the entity mapping \(quoted(entity.mapping.name))"
    let text =
      property.value == .none
      ? "the object requires one, and the mapping model gives none" : onOneLine(property.value.text, limit: 300)
    addStub(
      function, ["The value of \(name) \(mapping): \(text)"], ["_ row: \(rowName)", "_ context: ModelContext"],
      result: destination.qualified(declared.type), reason: "the value of \(name) \(mapping)")
    if let module = declared.type.module { modules.insert(module) }
    remark("the value of \(name) \(mapping): \(text)", "write \(plan).\(function)")
    return "\(target) = try \(function)(row, context)"
  }

  /// The statement that links an object with the new objects of its former destinations.
  private mutating func links(
    _ path: [String], _ mapping: String?, _ relationship: RelationshipDescription, of entity: MappingResolution.Entity,
    _ target: String, _ type: TypeReference, of new: EntityDescription, _ row: inout MappedRow
  ) -> String? {
    let found = correspondence.candidates(at: path, of: entity, by: mapping, for: relationship).compactMap {
      tables[$0.mapping.name]
    }
    guard !found.isEmpty, let value = row.value(at: path), value.type.name == SwiftValue.identifier else { return nil }
    needed.formUnion(found)
    let className = destination.type(of: relationship.destinationEntityName)
    /// The closure that finds the new object of an identifier, in one line or in several.
    let look =
      found.count == 1
      ? "{ \(found[0])[$0] }"
      : "{ key in\n  "
        + found.enumerated().map { ($0.offset == 0 ? "" : "  ?? ") + "\($0.element)[key] as \(className)?" }
        .joined(separator: "\n  ") + "\n}"
    if relationship.isToMany {
      let list =
        value.type.isArray
        ? value.text : "[\(value.text)]\(value.type.isOptional ? ".compactMap({ $0 })" : "")"
      return "\(target) = \(list).compactMap(\(look))"
    }
    let key = value.type.isOptional ? value.text : "Optional(\(value.text))"
    let object = value.type.isArray ? "\(value.text).lazy.compactMap(\(look)).first" : "\(key).flatMap(\(look))"
    if type.isOptional { return "\(target) = \(object)" }
    helpers.insert(.required)
    let label = ExpressionRenderer.string("\(new.name).\(relationship.name)")
    return "\(target) = try \(MappedStageDeclaration.Helper.required.rawValue)(\(object), for: \(label))"
  }

  // MARK: New objects

  /// The expression that makes a new object of a row: required attributes are arguments, the rest is assigned later.
  mutating func creation(
    of new: EntityDescription, _ entity: MappingResolution.Entity, _ row: inout MappedRow, rowName: String
  ) -> MappedStageDeclaration.Origin {
    let type = destination.type(of: new.name)
    let placeholders = placeholders(of: new.name)
    var arguments: [String] = []
    for parameter in destination.declaration(of: new.name)?.initializer.parameters ?? []
    where parameter.defaultValue == nil {
      guard let value = placeholders[parameter.name] else {
        row.addEverything()
        let function = claims.claim("make" + SwiftIdentifier.typeName(new.name))
        addStub(
          function,
          ["The new object of a row in the entity mapping \(quoted(entity.mapping.name)), with all that it requires."],
          ["_ row: \(rowName)", "_ context: ModelContext"], result: type,
          reason: "the object of the entity mapping \(quoted(entity.mapping.name))")
        remark(
          "\(new.name) requires a \(parameter.name), which no expression can give to a new object",
          "write \(plan).\(function)")
        return .inserted("try \(function)(row, context)", readsRow: true)
      }
      if let module = parameter.type.module { modules.insert(module) }
      arguments.append("\(ExpressionRenderer.label(parameter.name)): \(value)")
    }
    return .inserted("\(type)(\(arguments.joined(separator: ", ")))", readsRow: false)
  }

  /// For each plain attribute, as Swift spells it, a value that an assignment replaces.
  private func placeholders(of entity: String) -> [String: String] {
    var values: [String: String] = [:]
    for case .attribute(let attribute) in destination.graph.properties(of: entity)
    where AttributeTypes.type(of: attribute.type) != nil {
      let value = ExpressionRenderer.render(AttributeTypes.neutralValue(of: attribute.type))
      values[destination.names.property(attribute.name, of: entity)] = value
    }
    return values
  }
}

extension PropertyDeclaration {
  /// Whether a program may set the property: no derived attribute, no fetched property.
  fileprivate var isAssignable: Bool {
    !["FetchedProperty", "Transient"].contains(attribute?.name ?? "")
      && !(attribute?.arguments.contains { if case .call(".derived", _) = $0.value { true } else { false } } ?? false)
  }
}

extension MappingResolution.Value {
  /// The value in words of `NSExpression`'s format, for comments.
  fileprivate var text: String {
    switch self {
    case .unknown(let text): text
    case .none: ""
    case .mapped(let value): value.text
    }
  }
}

extension MappedValue {
  /// The value in words of `NSExpression`'s format, for comments.
  fileprivate var text: String {
    switch self {
    case .source(let path): "$source.\(path.joined(separator: "."))"
    case .constant(let tree): tree.format
    case .rows(let path, let mapping):
      "the new objects of $source.\(path.joined(separator: "."))\(mapping.map { " in \(quoted($0))" } ?? "")"
    case .arithmetic(let symbol, let left, let right): "\(left.text) \(symbol) \(right.text)"
    case .letterCase(let isUpper, let value): "\(isUpper ? "uppercase" : "lowercase")(\(value.text))"
    }
  }
}
