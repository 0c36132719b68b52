package import Foundation
package import PropertyLists

extension PropertyListValue {
  /// Reads a property list in XML from untrusted bytes, with this module's bounds for documents.
  ///
  /// If a key is repeated, the last value counts. `nil` if the bytes are not a property list in XML.
  package init?(xml bytes: Data) {
    guard let root = try? XMLReader.read(bytes, documentType: .skipped), root.name == "plist", root.children.count == 1,
      let value = PropertyListValue(root.children[0])
    else { return nil }
    self = value
  }

  private init?(_ element: XMLElement) {
    switch element.name {
    case "string": self = .string(element.text)
    case "data":
      guard let data = Data(base64Encoded: element.text, options: .ignoreUnknownCharacters) else { return nil }
      self = .data(data)
    case "array":
      var items: [PropertyListValue] = []
      for child in element.children {
        guard let item = PropertyListValue(child) else { return nil }
        items.append(item)
      }
      self = .array(items)
    case "dict":
      guard element.children.count.isMultiple(of: 2) else { return nil }
      var contents: [String: PropertyListValue] = [:]
      for position in stride(from: 0, to: element.children.count, by: 2) {
        guard element.children[position].name == "key", let value = PropertyListValue(element.children[position + 1])
        else { return nil }
        contents[element.children[position].text] = value
      }
      self = .dictionary(contents)
    case "integer", "real", "date", "true", "false": self = .other
    default: return nil
    }
  }
}
