import ErrorReporting
import ManagedModel

extension SchemaTranslator {
  /// `#Unique` and `#Index` of a class.
  mutating func macros(for entity: EntityDescription, constraints: UniquenessConstraints) -> [MacroDeclaration] {
    let unique = constraints.remaining.compactMap { constraint -> Expression? in
      keyPaths(constraint, in: entity, kind: "the uniqueness constraint", severity: .warning)
    }
    let indexes = self.indexes(of: entity)
    return [
      MacroDeclaration(name: "Unique", arguments: unique.map { Argument(nil, $0) }),
      MacroDeclaration(name: "Index", arguments: indexes),
    ].filter { !$0.arguments.isEmpty }
  }

  /// The fetch indexes, the compound indexes of older models, and an index for each attribute with the indexed flag.
  ///
  /// The older forms become the same as in today's Core Data: a fetch index named after its properties (CD-4), unless
  /// an index with the same properties exists.
  private func allIndexes(of entity: EntityDescription) -> [FetchIndexDescription] {
    var indexes = entity.distinctFetchIndexes
    var known = Set(indexes.map { $0.elements.map(\.subject) })
    let flagged = entity.attributes.filter { $0.isIndexed && !$0.isTransient }.map { [$0.name] }
    for names in entity.compoundIndexes + flagged {
      let elements = names.map { name in
        // An old compound index may name the object itself, or its entity, among the properties.
        let isProperty = graph.declaringEntity(of: name, in: entity.name) != nil
        return FetchIndexDescription.Element(
          subject: !isProperty && ["self", "entity"].contains(name) ? .expression(name) : .property(name))
      }
      guard known.insert(elements.map(\.subject)).inserted else { continue }
      indexes.append(FetchIndexDescription(name: names.joined(separator: "_"), elements: elements))
    }
    return indexes
  }

  private mutating func indexes(of entity: EntityDescription) -> [Argument] {
    var indexes: [Expression] = []
    var known: Set<Expression> = []
    for index in allIndexes(of: entity) {
      let declared = dialect == .open ? named(index, in: entity) : plain(index, in: entity)
      if let declared, known.insert(declared).inserted { indexes.append(declared) }
    }
    if dialect == .apple, !entity.fetchIndexes.isEmpty {
      let names = entity.distinctFetchIndexes.map { index in
        quoted(index.name) + (index.elements.allSatisfy(\.isAscending) ? "" : " (descending)")
      }
      note(
        .note, entity.name, nil, "the names of its indexes: \(names.joined(separator: ", "))",
        remedy: "nothing: SwiftData names them, and reads them in both directions")
    }
    return Self.arguments(for: indexes)
  }

  /// The index with all its facts. If it has the name that SwiftData would give it, the plain form is enough.
  private mutating func named(_ index: FetchIndexDescription, in entity: EntityDescription) -> Expression? {
    if isNamedBySwiftData(index) { return plain(index, in: entity) }
    var elements: [Expression] = []
    for element in index.elements {
      let order = element.isAscending ? [] : [Argument("isAscending", .boolean(false))]
      switch element.subject {
      case .expression(let format):
        guard graph.canIndex(format, of: entity.name) else {
          note(
            .note, entity.name, nil,
            "the index \(quoted(index.name)), whose expression \(quoted(format)) has no column in a store",
            remedy: "index a property instead")
          return nil
        }
        let region = element.kind == .rTree ? [Argument("isRegion", .boolean(true))] : []
        elements.append(.call(".expression", [Argument(nil, .string(format))] + order + region))
      case .property(let name):
        guard
          case .array(let paths)? = keyPaths(
            [name], in: entity, kind: "the index", severity: .note, allowsToMany: true),
          let path = paths.first
        else { return nil }
        elements.append(
          element.kind == .rTree
            ? .call(".region", [Argument(nil, path)] + order)
            : .call(element.isAscending ? ".ascending" : ".descending", [Argument(nil, path)]))
      }
    }
    let format = nonEmpty(index.partialIndexPredicate)
    if let format, PredicateParser.predicate(format) == nil {
      note(
        .note, entity.name, nil, "the index \(quoted(index.name)), whose predicate \(quoted(format)) is no predicate",
        remedy: "correct it in the model")
      return nil
    }
    let predicate = format.map { [Argument("where", .string($0))] } ?? []
    return .call(".named", [Argument(nil, .string(index.name)), Argument(nil, .array(elements))] + predicate)
  }

  private func isNamedBySwiftData(_ index: FetchIndexDescription) -> Bool {
    var names = ""
    for element in index.elements {
      guard case .property(let name) = element.subject, element.isAscending, element.kind == index.elements[0].kind
      else { return false }
      names += name
    }
    let kind = index.elements.first?.kind == .rTree ? "RTree" : "Binary"
    return index.partialIndexPredicate == nil && index.name == "SwiftDataIndexOn\(kind)\(names)"
  }

  /// The index in the form of Apple's API: its properties, all of one kind, for all rows.
  private mutating func plain(_ index: FetchIndexDescription, in entity: EntityDescription) -> Expression? {
    var properties: [String] = []
    for element in index.elements {
      guard case .property(let name) = element.subject else {
        note(
          .note, entity.name, nil, "the index \(quoted(index.name)), which indexes an expression",
          remedy: "index a property instead")
        return nil
      }
      properties.append(name)
    }
    let kinds = Set(index.elements.map(\.kind))
    guard kinds.count == 1, let kind = kinds.first else {
      note(
        .note, entity.name, nil, "the index \(quoted(index.name)), which is of two kinds",
        remedy: "make it two indexes")
      return nil
    }
    if let predicate = nonEmpty(index.partialIndexPredicate) {
      note(
        .note, entity.name, nil, "the predicate \(quoted(predicate)) of the index \(quoted(index.name))",
        remedy: "nothing: the index holds all rows")
    }
    return keyPaths(properties, in: entity, kind: "the index", severity: .note).map {
      .call(kind == .rTree ? ".rtree" : ".binary", [Argument(nil, $0)])
    }
  }

  /// The arguments are only key paths if every index is plain and binary, as most are.
  private static func arguments(for indexes: [Expression]) -> [Argument] {
    let plain = indexes.compactMap { index -> Argument? in
      if case .call(".binary", let arguments) = index { arguments.first } else { nil }
    }
    return plain.count == indexes.count ? plain : indexes.map { Argument(nil, $0) }
  }

  private mutating func keyPaths(
    _ names: [String], in entity: EntityDescription, kind: String, severity: GeneratorNote.Severity,
    allowsToMany: Bool = false
  ) -> Expression? {
    var paths: [Expression] = []
    for name in names {
      guard let components = components(of: name, in: entity, allowsToMany: allowsToMany) else {
        note(
          severity, entity.name, nil, "\(kind) of \(names.map { quoted($0) }.joined(separator: " and "))",
          remedy: "\(quoted(name)) is no attribute or to-one relationship of the entity: correct it in the model")
        return nil
      }
      paths.append(.keyPath(root: nil, components))
    }
    return paths.isEmpty ? nil : .array(paths)
  }

  /// The components of a property's name, or of the path to a composite's element; `nil` for any other name.
  private func components(
    of name: String, in entity: EntityDescription, allowsToMany: Bool
  ) -> [String]? {
    if let property = graph.property(name, of: entity.name) {
      if case .relationship(let relationship) = property, relationship.isToMany, !allowsToMany { return nil }
      if case .fetchedProperty = property { return nil }
      return [names.property(name, of: entity.name)]
    }
    let parts = name.split(separator: ".").map(String.init)
    guard parts.count > 1, case .attribute(var attribute)? = graph.property(parts[0], of: entity.name) else {
      return nil
    }
    var components = [names.property(parts[0], of: entity.name)]
    for part in parts.dropFirst() {
      if attribute.isOptional { components[components.count - 1] += "?" }
      let composite = SwiftNames.composite(of: attribute)
      guard let index = composite.elements.firstIndex(where: { $0.name == part }) else { return nil }
      components.append(names.elements(of: composite)[index])
      attribute = composite.elements[index]
    }
    return components
  }
}
