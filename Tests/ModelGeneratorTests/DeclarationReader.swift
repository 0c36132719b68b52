import ManagedModel
import StoreRequests

@testable import ModelGenerator

/// Reads generated declarations back into a model, as `@Model` and `Schema` understand them: the quick proof that nothing is lost.
///
/// What the compiled classes say is proved for the golden files; this reader follows the same rules and reaches every model.
struct DeclarationReader {
  let schema: SchemaDeclaration
  private let classes: [String: ClassDeclaration]
  private let composites: [String: StructDeclaration]

  init(_ schema: SchemaDeclaration) {
    self.schema = schema
    classes = Dictionary(schema.classes.map { ($0.name, $0) }) { first, _ in first }
    composites = Dictionary(schema.composites.map { ($0.name, $0) }) { first, _ in first }
  }

  func model() -> ModelDescription {
    var model = ModelDescription(entities: schema.classes.map(entity))
    model.fetchRequestTemplates = schema.fetchRequests.compactMap { $0.arguments("Schema.FetchRequest") }.map {
      $0.fetchRequest(name: $0.text(nil) ?? "", entity: $0.text("entity") ?? "")
    }
    model.configurations = schema.configurations.compactMap { $0.arguments("Schema.Configuration") }.map {
      ConfigurationDescription(
        name: $0.text(nil) ?? "", entityNames: $0.value("entities")?.elements.compactMap(\.text) ?? [],
        usedWithCloudKit: $0.value("usesCloudKit") == .boolean(true))
    }
    let resolver = InverseReader(schema, reader: self)
    for entity in model.entities.indices {
      for property in model.entities[entity].properties.indices {
        guard case .relationship(var relationship) = model.entities[entity].properties[property] else { continue }
        resolver.apply(to: &relationship, of: model.entities[entity].name)
        model.entities[entity].properties[property] = .relationship(relationship)
      }
    }
    return model
  }

  func entityName(_ className: String) -> String {
    classes[className]?.arguments.text("entityName") ?? className
  }

  private func entity(_ declaration: ClassDeclaration) -> EntityDescription {
    let name = entityName(declaration.name)
    var entity = EntityDescription(name: name)
    entity.isAbstract = declaration.arguments.value("isAbstract") == .boolean(true)
    entity.versionHashModifier = declaration.arguments.text("hashModifier")
    entity.renamingIdentifier = declaration.arguments.text("originalName")
    entity.className = declaration.arguments.text("className")
    entity.coreSpotlightDisplayName = declaration.arguments.text("spotlightDisplayName")
    entity.userInfo = declaration.arguments.value("userInfo")?.userInfo ?? [:]
    entity.superentityName = declaration.superclass.map(entityName)
    entity.properties = declaration.properties.compactMap(property)
    for property in declaration.properties where property.attribute?.arguments.has("unique") == true {
      entity.uniquenessConstraints.append([Self.persistentName(property)])
    }
    for macro in declaration.macros where macro.name == "Unique" {
      entity.uniquenessConstraints += macro.arguments.map { $0.value.paths.map { path(of: $0, from: declaration) } }
    }
    for macro in declaration.macros where macro.name == "Index" {
      entity.fetchIndexes += macro.arguments.map { index($0.value, of: declaration) }
    }
    return entity
  }

  private func index(_ value: Expression, of declaration: ClassDeclaration) -> FetchIndexDescription {
    func plain(_ paths: Expression, _ kind: FetchIndexDescription.Kind) -> FetchIndexDescription {
      let names = paths.paths.map { path(of: $0, from: declaration) }
      return FetchIndexDescription(
        name: "SwiftDataIndexOn\(kind == .rTree ? "RTree" : "Binary")\(names.joined())",
        elements: names.map { .init(subject: .property($0), kind: kind) })
    }
    guard let arguments = value.arguments(".named") else {
      return value.arguments(".rtree").map { plain($0[0].value, .rTree) }
        ?? plain(value.arguments(".binary")?[0].value ?? value, .binary)
    }
    let elements = arguments[1].value.elements.compactMap { element -> FetchIndexDescription.Element? in
      guard case .call(let word, let arguments) = element else { return nil }
      let isAscending = word != ".descending" && arguments.value("isAscending") != .boolean(false)
      if let format = arguments[0].value.text {
        return .init(
          subject: .expression(format), kind: arguments.value("isRegion") == .boolean(true) ? .rTree : .binary,
          isAscending: isAscending)
      }
      guard case .keyPath(_, let components) = arguments[0].value else { return nil }
      return .init(
        subject: .property(path(of: components, from: declaration)), kind: word == ".region" ? .rTree : .binary,
        isAscending: isAscending)
    }
    return FetchIndexDescription(
      name: arguments.text(nil) ?? "", elements: elements, partialIndexPredicate: arguments.text("where"))
  }

  /// The stored names along a key path; one of a superclass's properties is that class's.
  private func path(of components: [String], from declaration: ClassDeclaration) -> String {
    var names: [String] = []
    var properties = lineage(declaration).flatMap(\.properties)
    for component in components {
      guard let property = properties.first(where: { $0.name == component }) else { return "?" }
      names.append(Self.persistentName(property))
      if let composite = composites[property.type.name] {
        properties = zip(composite.properties, Self.elementNames(composite)).map { element, name in
          var element = element
          element.attribute = AttributeDeclaration(name: "Attribute", arguments: [Argument("name", .string(name))])
          return element
        }
      }
    }
    return names.joined(separator: ".")
  }

  func lineage(_ declaration: ClassDeclaration) -> [ClassDeclaration] {
    (declaration.superclass.flatMap { classes[$0] }.map(lineage) ?? []) + [declaration]
  }

  static func persistentName(_ property: PropertyDeclaration) -> String {
    property.attribute?.arguments.text("name") ?? property.name
  }

  private static func elementNames(_ composite: StructDeclaration) -> [String] {
    composite.codingKeys.isEmpty ? composite.properties.map(\.name) : composite.codingKeys.map(\.persistentName)
  }

  private func property(_ declaration: PropertyDeclaration) -> PropertyDescription? {
    if declaration.attribute?.name == "Transient" { return nil }
    if declaration.attribute?.name == "FetchedProperty", let arguments = declaration.attribute?.arguments {
      return .fetchedProperty(
        FetchedPropertyDescription(
          name: Self.persistentName(declaration), isOptional: arguments.value("isOptional") != .boolean(false),
          fetchRequest: arguments.fetchRequest(
            name: arguments.text("requestName") ?? "fetchedPropertyFetchRequest",
            entity: entityName(declaration.type.name)),
          userInfo: arguments.value("userInfo")?.userInfo ?? [:]))
    }
    if classes[declaration.type.name] != nil { return .relationship(relationship(declaration)) }
    return .attribute(attribute(declaration, name: Self.persistentName(declaration)))
  }

  private func attribute(_ declaration: PropertyDeclaration, name: String) -> AttributeDescription {
    let arguments = declaration.attribute?.arguments ?? []
    var attribute = AttributeDescription(name: name, type: type(of: declaration))
    attribute.isOptional = declaration.type.isOptional
    attribute.isTransient = arguments.has("ephemeral")
    attribute.allowsExternalBinaryDataStorage = arguments.has("externalStorage")
    attribute.preservesValueInHistoryOnDeletion = arguments.has("preserveValueOnDeletion")
    attribute.versionHashModifier = arguments.text("hashModifier")
    attribute.renamingIdentifier = arguments.text("originalName")
    attribute.allowsCloudEncryption = arguments.has("allowsCloudEncryption")
    attribute.isIndexedBySpotlight = arguments.has("spotlight")
    attribute.isStoredInExternalRecord = arguments.has("externalRecord")
    attribute.userInfo = arguments.call("userInfo")?[0].value.userInfo ?? [:]
    attribute.valueClassName = arguments.call("valueClass")?.text(nil)
    attribute.valueTransformerName = arguments.call("transformable")?.text("by")
    if attribute.type == .transformable, !arguments.has("transformable"), attribute.valueTransformerName == nil {
      attribute.valueTransformerName = "NSSecureUnarchiveFromData"
      attribute.valueClassName =
        declaration.type.isArray ? "Array<\(declaration.type.name)>" : declaration.type.name
    }
    attribute.defaultValue = declaration.initialValue?.value(of: attribute.type)
    attribute.minimumValue = arguments.call("minimum")?[0].value.value(of: attribute.type)
    attribute.maximumValue = arguments.call("maximum")?[0].value.value(of: attribute.type)
    attribute.regularExpression = arguments.call("matches")?.text(nil)
    for argument in arguments where argument.label == nil {
      if let rule = argument.value.arguments(".rule") {
        attribute.validationRules.append(.init(predicate: rule.text(nil) ?? "", message: rule.text("message")))
      }
      guard case .range(let lower, let upper)? = argument.value.arguments(".length")?[0].value else { continue }
      attribute.minimumValue = lower.map(AttributeValue.integer) ?? attribute.minimumValue
      attribute.maximumValue = upper.map(AttributeValue.integer) ?? attribute.maximumValue
    }
    if let derivation = arguments.call("derived") {
      attribute.isReadOnly = true
      attribute.defaultValue = nil
      attribute.derivation = .init(
        expression: derivation.text(nil) ?? "", filteringPredicate: derivation.text("where"))
    }
    if let composite = composites[declaration.type.name] {
      attribute.type = .composite
      attribute.compositeName = composite.storedName ?? composite.name
      attribute.elements = zip(composite.properties, Self.elementNames(composite)).map {
        var element = self.attribute($0, name: $1)
        if !composite.isExact, attribute.isOptional { element.isOptional = true }
        return element
      }
    }
    return attribute
  }

  private func type(of declaration: PropertyDeclaration) -> AttributeType {
    let arguments = declaration.attribute?.arguments ?? []
    if arguments.has("transformable") || arguments.call("transformable") != nil { return .transformable }
    if arguments.has("untyped") { return .undefined }
    if arguments.has("objectIdentifier") { return .objectID }
    if declaration.type.isArray { return .transformable }
    let types: [String: AttributeType] = [
      "Int16": .integer16, "Int32": .integer32, "Int64": .integer64, "Decimal": .decimal, "Double": .double,
      "Float": .float, "String": .string, "Bool": .boolean, "Date": .date, "Data": .binary, "UUID": .uuid,
      "URL": .uri,
    ]
    if declaration.type.name.hasSuffix(">") { return .transformable }
    return types[declaration.type.name] ?? .undefined
  }

  private func relationship(_ declaration: PropertyDeclaration) -> RelationshipDescription {
    let arguments = declaration.attribute?.arguments ?? []
    let isToMany = declaration.type.isArray
    return RelationshipDescription(
      name: Self.persistentName(declaration), destinationEntityName: entityName(declaration.type.name),
      isOptional: declaration.type.isOptional, isTransient: arguments.has("transient"),
      isOrdered: arguments.has("ordered"), minimumCount: arguments.integer("minimumModelCount") ?? 0,
      maximumCount: isToMany ? arguments.integer("maximumModelCount") ?? 0 : 1,
      deleteRule: arguments.value("deleteRule")?.deleteRule ?? .nullify,
      isIndexedBySpotlight: arguments.has("spotlight"), isStoredInExternalRecord: arguments.has("externalRecord"),
      renamingIdentifier: arguments.text("originalName"),
      versionHashModifier: arguments.text("hashModifier"),
      userInfo: arguments.call("userInfo")?[0].value.userInfo ?? [:])
  }
}

/// The inverses that declarations state, and those that `Schema` infers from them.
private struct InverseReader {
  private struct Side: Hashable {
    let entity: String
    let name: String
  }

  private var pairs: [Side: Side] = [:]

  init(_ schema: SchemaDeclaration, reader: DeclarationReader) {
    struct Candidate {
      let side: Side
      let destination: String
      let isClosed: Bool
    }
    var candidates: [Candidate] = []
    let names = Set(schema.classes.map(\.name))
    for declaration in schema.classes {
      let entity = reader.entityName(declaration.name)
      for property in declaration.properties where names.contains(property.type.name) {
        let side = Side(entity: entity, name: DeclarationReader.persistentName(property))
        let arguments = property.attribute?.arguments ?? []
        candidates.append(
          Candidate(
            side: side, destination: reader.entityName(property.type.name), isClosed: arguments.has("noInverse")))
        if arguments.has("selfInverse") { pairs[side] = side }
        if let inverse = arguments.call("inverse") {
          pairs[side] = Side(
            entity: inverse.text("of") ?? reader.entityName(property.type.name), name: inverse.text("named") ?? "")
        }
        guard case .keyPath(let root?, let path)? = arguments.value("inverse"),
          let other = schema.classes.first(where: { $0.name == root })?.properties.first(where: { $0.name == path[0] })
        else { continue }
        let there = Side(entity: reader.entityName(root), name: DeclarationReader.persistentName(other))
        pairs[side] = there
        pairs[there] = side
      }
    }
    for candidate in candidates where pairs[candidate.side] == nil && !candidate.isClosed {
      let back = candidates.filter {
        !$0.isClosed && pairs[$0.side] == nil && $0.side != candidate.side
          && $0.destination == candidate.side.entity && $0.side.entity == candidate.destination
      }
      guard let first = back.first else { continue }
      pairs[candidate.side] = first.side
      pairs[first.side] = candidate.side
    }
  }

  func apply(to relationship: inout RelationshipDescription, of entity: String) {
    guard let other = pairs[Side(entity: entity, name: relationship.name)] else { return }
    relationship.inverseName = other.name
    relationship.inverseEntityName = other.entity
  }
}
