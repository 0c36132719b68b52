import ManagedModel

extension SchemaTranslator {
  /// `#Unique` and `#Index` of a class.
  mutating func macros(
    for entity: EntityDescription, className: String, constraints: UniquenessConstraints
  ) -> [MacroDeclaration] {
    let unique = constraints.remaining.compactMap { constraint -> Expression? in
      keyPaths(constraint, in: entity, kind: "the uniqueness constraint", severity: .warning)
    }
    let indexes = self.indexes(of: entity)
    return [
      MacroDeclaration(name: "Unique", arguments: unique.map { Argument(nil, $0) }),
      MacroDeclaration(name: "Index", arguments: Self.arguments(for: indexes)),
    ].filter { !$0.arguments.isEmpty }
  }

  private struct Index: Hashable {
    var kind: FetchIndexDescription.Kind
    var keyPaths: Expression
  }

  /// Fetch indexes, the compound indexes of older models and attributes flagged as indexed; equal ones stand once.
  private mutating func indexes(of entity: EntityDescription) -> [Index] {
    var indexes: [Index] = []
    if !entity.fetchIndexes.isEmpty {
      let names = entity.fetchIndexes.map { index in
        quoted(index.name) + (index.elements.allSatisfy(\.isAscending) ? "" : " (descending)")
      }
      note(
        .note, entity.name, nil, "the names of its indexes: \(names.joined(separator: ", "))",
        remedy: "nothing: SwiftData names them, and reads them in both directions")
    }
    for index in entity.fetchIndexes {
      if let declared = self.index(for: index, in: entity) { indexes.append(declared) }
    }
    for names in entity.compoundIndexes {
      let paths = keyPaths(names, in: entity, kind: "the compound index", severity: .note)
      if let paths { indexes.append(Index(kind: .binary, keyPaths: paths)) }
    }
    for attribute in entity.attributes where attribute.isIndexed && !attribute.isTransient {
      let paths = keyPaths([attribute.name], in: entity, kind: "the index", severity: .note)
      if let paths { indexes.append(Index(kind: .binary, keyPaths: paths)) }
    }
    var seen: Set<Index> = []
    return indexes.filter { seen.insert($0).inserted }
  }

  private mutating func index(for index: FetchIndexDescription, in entity: EntityDescription) -> Index? {
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
    return keyPaths(properties, in: entity, kind: "the index", severity: .note)
      .map { Index(kind: kind, keyPaths: $0) }
  }

  /// Key paths alone if every index is binary, as most are.
  private static func arguments(for indexes: [Index]) -> [Argument] {
    guard indexes.contains(where: { $0.kind == .rTree }) else { return indexes.map { Argument(nil, $0.keyPaths) } }
    return indexes.map { index in
      Argument(nil, .call(index.kind == .rTree ? ".rtree" : ".binary", [Argument(nil, index.keyPaths)]))
    }
  }

  private mutating func keyPaths(
    _ names: [String], in entity: EntityDescription, kind: String, severity: GeneratorNote.Severity
  ) -> Expression? {
    var paths: [Expression] = []
    for name in names {
      guard let components = components(of: name, in: entity) else {
        note(
          severity, entity.name, nil, "\(kind) of \(names.map { quoted($0) }.joined(separator: " and "))",
          remedy: "\(quoted(name)) is no attribute or to-one relationship of the entity: correct it in the model")
        return nil
      }
      paths.append(.keyPath(root: nil, components))
    }
    return paths.isEmpty ? nil : .array(paths)
  }

  /// A property by its name, or an element of a composite by its path; `nil` for anything else.
  private func components(of name: String, in entity: EntityDescription) -> [String]? {
    if let property = property(name, in: entity) {
      if case .relationship(let relationship) = property, relationship.isToMany { return nil }
      if case .fetchedProperty = property { return nil }
      return [names.property(name, of: entity.name)]
    }
    let parts = name.split(separator: ".").map(String.init)
    guard parts.count > 1, case .attribute(var attribute)? = property(parts[0], in: entity) else { return nil }
    var components = [names.property(parts[0], of: entity.name)]
    for part in parts.dropFirst() {
      let composite = SwiftNames.composite(of: attribute)
      guard let index = composite.elements.firstIndex(where: { $0.name == part }) else { return nil }
      components.append(names.elements(of: composite)[index])
      attribute = composite.elements[index]
    }
    return components
  }

  private func property(_ name: String, in entity: EntityDescription) -> PropertyDescription? {
    graph.lineage(of: entity.name).lazy.flatMap(\.properties).first { $0.name == name }
  }
}
