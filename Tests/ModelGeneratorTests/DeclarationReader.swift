import ManagedModel

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
    entity.superentityName = declaration.superclass.map(entityName)
    entity.properties = declaration.properties.compactMap(property)
    for property in declaration.properties where property.attribute?.arguments.has("unique") == true {
      entity.uniquenessConstraints.append([Self.persistentName(property)])
    }
    for macro in declaration.macros where macro.name == "Unique" {
      entity.uniquenessConstraints += macro.arguments.map { $0.value.paths.map { path(of: $0, from: declaration) } }
    }
    return entity
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
    if let derivation = arguments.call("derived") {
      attribute.derivation = .init(
        expression: derivation.text(nil) ?? "", filteringPredicate: derivation.text("where"))
    }
    if let composite = composites[declaration.type.name] {
      attribute.type = .composite
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
      versionHashModifier: arguments.text("hashModifier"))
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

extension [Argument] {
  func value(_ label: String?) -> Expression? { first { $0.label == label }?.value }

  func text(_ label: String?) -> String? { if case .string(let text)? = value(label) { text } else { nil } }

  func integer(_ label: String?) -> Int? { if case .integer(let number)? = value(label) { Int(number) } else { nil } }

  /// Whether an option without arguments is among them.
  func has(_ option: String) -> Bool { contains { $0.label == nil && $0.value == .member(option) } }

  /// The arguments of an option.
  func call(_ option: String) -> [Argument]? {
    for argument in self where argument.label == nil {
      if case .call("." + option, let arguments) = argument.value { return arguments }
    }
    return nil
  }
}

extension Expression {
  /// The key paths of an array of them.
  var paths: [[String]] {
    guard case .array(let elements) = self else { return [] }
    return elements.compactMap { if case .keyPath(_, let path) = $0 { path } else { nil } }
  }
}
