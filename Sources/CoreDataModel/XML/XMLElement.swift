/// An element of a document that was read: its name, attributes and children, and the line it stands on.
struct XMLElement: Sendable {
  var name: String
  /// The line on which the start tag ends, counted from 1.
  var line: Int
  /// In document order; a name stands once.
  var attributes: [Attribute] = []
  var children: [XMLElement] = []
  /// The characters directly inside the element, those of its children left out.
  var text = ""

  struct Attribute: Sendable {
    var name: String
    var value: String
  }

  /// The value of an attribute: a linear search, elements having a dozen attributes at most.
  subscript(attribute name: String) -> String? {
    attributes.first { $0.name == name }?.value
  }

  func children(named name: String) -> some Sequence<XMLElement> {
    children.lazy.filter { $0.name == name }
  }
}
