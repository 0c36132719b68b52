import ErrorReporting
import ManagedModel

/// Readers of single XML attributes: names, flags and counts.
extension ModelParser {
  /// The required name of an element. Reports a missing name and returns `nil`.
  mutating func name(of element: XMLElement, in owner: String? = nil) -> String? {
    if let name = element[attribute: "name"], !name.isEmpty { return name }
    report(
      .error, element.line, "\(article(element.name))\(owner.map { " of \($0)" } ?? "") has no name",
      "give it one in the model editor")
    return nil
  }

  /// The text of an attribute; `nil` if it is absent or empty.
  func text(_ attribute: String, of element: XMLElement) -> String? {
    element[attribute: attribute].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A YES/NO flag. An absent flag has the value of `default`, which is NO for most flags (VH-11).
  mutating func flag(_ attribute: String, of element: XMLElement, default absent: Bool = false) -> Bool {
    guard let text = element[attribute: attribute] else { return absent }
    if let value = Self.boolean(text) { return value }
    report(
      .error, element.line, "\(quoted(attribute)) of \(describe(element)) is \(quoted(text)), neither YES nor NO",
      "write YES or NO")
    return absent
  }

  /// Reads YES and NO as Xcode writes them, and the spellings of `-[NSString boolValue]` and of old tools.
  static func boolean(_ text: String) -> Bool? {
    switch text {
    case "YES", "yes", "true", "TRUE", "1": true
    case "NO", "no", "false", "FALSE", "0", "": false
    default: nil
    }
  }

  /// A count of objects or rows that fits 32 bits, as Core Data keeps it.
  mutating func count(_ attribute: String, of element: XMLElement, default absent: Int) -> Int {
    guard let text = text(attribute, of: element) else { return absent }
    if let value = Int32(text), value >= 0 { return Int(value) }
    report(
      .error, element.line, "\(quoted(attribute)) of \(describe(element)) is \(quoted(text)), not a count",
      "write a whole number from 0 to \(Int32.max)")
    return absent
  }

  /// `attribute “name”`, or just the element's kind if it has no name.
  func describe(_ element: XMLElement) -> String {
    element[attribute: "name"].map { "\(element.name) \(quoted($0))" } ?? article(element.name)
  }

  private func article(_ noun: String) -> String {
    guard let first = noun.first else { return "an element" }
    return ("aeiou".contains(first) ? "an " : "a ") + noun
  }
}
