import ErrorReporting
import ManagedModel

extension ModelParser {
  /// Reads a `fetchIndex` element. Reports a missing name or missing elements and returns `nil`.
  mutating func fetchIndex(_ element: XMLElement, owner: String) -> FetchIndexDescription? {
    guard let name = name(of: element, in: owner) else { return nil }
    var index = FetchIndexDescription(name: name, elements: [])
    index.partialIndexPredicate = text("partialIndexPredicate", of: element)
    let place = "fetch index \(quoted(name)) of \(owner)"
    for child in element.children(named: "fetchIndexElement") {
      guard let subject = subject(child, place: place) else { continue }
      index.elements.append(
        FetchIndexDescription.Element(
          subject: subject, kind: kind(child, place: place), isAscending: isAscending(child, place: place)))
    }
    if index.elements.isEmpty {
      report(.warning, element.line, "\(place) has no elements", "add one, or remove the index; it was left out")
      return nil
    }
    return index
  }

  private mutating func subject(_ element: XMLElement, place: String) -> FetchIndexDescription.Subject? {
    if let property = text("property", of: element) { return .property(property) }
    if let expression = text("expression", of: element) { return .expression(expression) }
    report(
      .error, element.line, "an element of \(place) names neither a property nor an expression",
      "choose one, or remove the element")
    return nil
  }

  private mutating func kind(_ element: XMLElement, place: String) -> FetchIndexDescription.Kind {
    switch text("type", of: element) {
    case nil, "Binary": return .binary
    case "RTree": return .rTree
    case let text?:
      report(
        .error, element.line, "an element of \(place) has the type \(quoted(text)), which is not known",
        "choose Binary or RTree")
      return .binary
    }
  }

  private mutating func isAscending(_ element: XMLElement, place: String) -> Bool {
    switch text("order", of: element) {
    case nil, "ascending": return true
    case "descending": return false
    case let text?:
      report(
        .error, element.line, "an element of \(place) has the order \(quoted(text)), which is not known",
        "choose ascending or descending")
      return true
    }
  }
}
