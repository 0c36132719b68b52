/// Elements of a composite attribute correspond as properties do: by renaming identifiers (`elementID`), then by names.
extension AttributeDescription {
  /// The element of an older version that an element of this version was; `nil` for a new element.
  package func formerElement(of name: String, in old: AttributeDescription) -> AttributeDescription? {
    if isEnumeration, old.isEnumeration { return old.elements[0] }
    if let former = formerCase(of: name, in: old) { return former }
    var formerName: String? = name
    if elements.contains(where: \.isRenamed) || old.elements.contains(where: \.isRenamed) {
      formerName =
        Matching(from: old.elements.map(\.candidate), to: elements.map(\.candidate)).sources[name]
    }
    return formerName.flatMap { name in old.elements.first { $0.name == name } }
  }

  /// Whether the attribute is an enumeration with raw values. Its only element has the attribute's name, also after a renaming.
  ///
  /// The user info is SwiftData's mark: a structure, too, may have a single member of the property's name.
  package var isEnumeration: Bool {
    type == .composite && elements.count == 1 && elements[0].name == name && userInfo["EnumType"] == .boolean(true)
  }

  /// The cases of an enumeration without raw values, in declared order; empty for any other attribute. A case without payload has an element
  /// of its name.
  package var caseNames: [String] {
    guard type == .composite, userInfo["EnumType"] == .boolean(true), case .array(let names)? = userInfo["enum"] else {
      return []
    }
    return names.compactMap { if case .string(let name) = $0 { name } else { nil } }
  }

  /// The path that an element had in an older version; `nil` for a new element. Both paths begin with the attribute's name.
  ///
  /// A value that has become an enumeration was the raw value by itself, and the other way round.
  package func formerPath(of path: [String], in old: AttributeDescription) -> [String]? {
    var (attribute, former) = (self, old)
    var result = [old.name]
    for name in path.dropFirst() {
      if attribute.isEnumeration, former.type != .composite { return result }
      guard let element = attribute.elements.first(where: { $0.name == name }),
        let match = attribute.formerElement(of: name, in: former)
      else { return nil }
      result.append(match.name)
      (attribute, former) = (element, match)
    }
    if attribute.type != .composite, former.isEnumeration { result.append(former.elements[0].name) }
    return result
  }

  /// The paths of the elements of an older version that have no successor in this version. They lack the attribute's name.
  func removedElements(of old: AttributeDescription) -> [String] {
    if type != .composite, old.isEnumeration { return [] }
    let matches = elements.compactMap { element in formerElement(of: element.name, in: old).map { ($0.name, element) } }
    let successors = Dictionary(matches, uniquingKeysWith: { first, _ in first })
    return old.elements.flatMap { element -> [String] in
      guard let successor = successors[element.name] else { return [element.name] }
      return successor.removedElements(of: element).map { "\(element.name).\($0)" }
    }
  }

  private var candidate: Matching.Candidate {
    Matching.Candidate(name: name, renamingIdentifier: renamingIdentifier)
  }

  private var isRenamed: Bool { candidate.isRenamed }
}
