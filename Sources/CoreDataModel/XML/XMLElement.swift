/// An element of an XML document: its name, attributes, children and line.
struct XMLElement: Sendable {
  var name: String
  /// The line on which the start tag ends, counted from 1.
  var line: Int
  /// In document order; each name occurs once.
  private(set) var attributeNames: [String] = []
  private var values: [String: String] = [:]
  var children: [XMLElement] = []
  /// The characters directly inside the element, without the text of its children.
  var text = ""

  init(name: String, line: Int) {
    self.name = name
    self.line = line
  }

  /// The value of an attribute. The parser asks each element for many more attributes than it has.
  subscript(attribute name: String) -> String? { values[name] }

  /// Adds an attribute. If the element has it already, the first value stays.
  mutating func add(attribute name: String, _ value: String) {
    guard values[name] == nil else { return }
    values[name] = value
    attributeNames.append(name)
  }

  func children(named name: String) -> some Sequence<XMLElement> {
    children.lazy.filter { $0.name == name }
  }
}
