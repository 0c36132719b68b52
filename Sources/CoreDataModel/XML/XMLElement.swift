/// An element of an XML document: its name, attributes, children and line.
struct XMLElement: Sendable {
  var name: String
  /// The line on which the start tag ends, counted from 1.
  var line: Int
  /// In document order; each name occurs once.
  var attributes: [Attribute] = []
  var children: [XMLElement] = []
  /// The characters directly inside the element, without the text of its children.
  var text = ""

  struct Attribute: Sendable {
    var name: String
    var value: String
  }

  /// The value of an attribute. The search is linear, because elements have few attributes.
  subscript(attribute name: String) -> String? {
    attributes.first { $0.name == name }?.value
  }

  func children(named name: String) -> some Sequence<XMLElement> {
    children.lazy.filter { $0.name == name }
  }
}
