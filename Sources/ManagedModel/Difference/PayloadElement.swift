/// The place of a composite's element in the payload of an enumeration's case.
///
/// Earlier versions of SwiftData for Linux stored each case in one element, which had the case's name. These facts lead from it to the
/// elements of today.
package struct PayloadElement: Sendable, Hashable {
  package var caseName: String
  /// Whether the payload is this one value, never `nil`, of a type that a column holds: the case's element held the value itself. The
  /// element of another payload held a JSON object of the values by their labels.
  package var isWhole: Bool

  package init(caseName: String, isWhole: Bool) {
    self.caseName = caseName
    self.isWhole = isWhole
  }
}

/// How an element's value is found in the element of an earlier version that held the payload of its case.
package enum FormerPayload: Sendable, Hashable {
  /// It is the former value.
  case whole
  /// It is a member of a JSON object.
  case member(label: String)
  /// The former element held one value, and the case has got more since: the label of that value is not known.
  case unknown
}

extension AttributeDescription {
  /// Whether the attribute is an enumeration without raw values that has one element for each case, with the case's name.
  private var hasElementPerCase: Bool {
    !elements.isEmpty && caseNames == elements.map(\.name)
  }

  /// The element of an earlier version that held the payload to which an element belongs; `nil` if the versions differ otherwise.
  func formerCase(of name: String, in old: AttributeDescription) -> AttributeDescription? {
    guard old.hasElementPerCase, let payload = elements.first(where: { $0.name == name })?.payload else { return nil }
    return old.elements.first { $0.name == payload.caseName }
  }

  /// How the value of an element is found in an earlier version; `nil` if payloads are not how the two versions differ.
  ///
  /// - Parameter path: begins with the attribute's name.
  package func formerPayload(of path: [String], in old: AttributeDescription) -> FormerPayload? {
    guard path.count == 2, let former = formerCase(of: path[1], in: old),
      let element = elements.first(where: { $0.name == path[1] }), let payload = element.payload
    else { return nil }
    if payload.isWhole, former.type != .binary || element.type == .binary { return .whole }
    return former.type == .binary ? .member(label: element.name) : .unknown
  }

  /// The attribute as earlier versions of SwiftData for Linux described it: an enumeration has one element for each case.
  fileprivate var withElementPerCase: AttributeDescription {
    guard elements.contains(where: { $0.payload != nil }) else { return self }
    var result = self
    result.elements = caseNames.compactMap { name -> AttributeDescription? in
      guard var element = elements.first(where: { ($0.payload?.caseName ?? $0.name) == name }) else { return nil }
      if let payload = element.payload {
        element.name = name
        element.renamingIdentifier = name
        if !payload.isWhole { (element.type, element.contents) = (.binary, .json) }
        element.payload = nil
      }
      return element
    }
    return result
  }
}

extension ModelDescription {
  /// The model as earlier versions of SwiftData for Linux made it of the same classes; `nil` if it is the same.
  package var withElementPerCase: ModelDescription? {
    let former = mappingAttributes { attribute, _ in attribute.withElementPerCase }
    return former == self ? nil : former
  }
}
