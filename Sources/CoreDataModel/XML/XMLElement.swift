/// An element of an XML document: its name, attributes, children and line.
struct XMLElement: Sendable {
  var name: String
  /// The line on which the start tag ends, counted from 1.
  var line: Int
  /// In document order; each name occurs once.
  private(set) var attributeNames: [String] = []
  private var attributeValues: [String] = []
  var children: [XMLElement] = []
  /// The characters directly inside the element, without the text of its children.
  var text = ""

  init(name: String, line: Int) {
    self.name = name
    self.line = line
  }

  /// The value of an attribute. The search is linear, because elements have few attributes; a dictionary takes longer to make.
  subscript(attribute name: String) -> String? {
    // No `first(where:)`: in a debug build it takes a third of the time of reading a model.
    var index = 0
    while index < attributeNames.count {
      if attributeNames[index] == name { return attributeValues[index] }
      index += 1
    }
    return nil
  }

  /// Adds an attribute that the element lacks.
  mutating func add(attribute name: String, _ value: String) {
    attributeNames.append(name)
    attributeValues.append(value)
  }

  func children(named name: String) -> some Sequence<XMLElement> {
    children.lazy.filter { $0.name == name }
  }
}
