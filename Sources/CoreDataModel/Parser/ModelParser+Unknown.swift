import ErrorReporting
import ManagedModel

extension ModelParser {
  /// Warns of unknown elements and attributes: each kind once, at its first line.
  mutating func reportUnknown(in root: XMLElement) {
    var reported: Set<[String]> = []
    visit(root, &reported)
  }

  private mutating func visit(_ element: XMLElement, _ reported: inout Set<[String]>) {
    guard let known = Vocabulary.elements[element.name], !known.isOpaque else { return }
    for attribute in element.attributeNames
    where !known.read.contains(attribute) && known.ignored[attribute] == nil {
      guard reported.insert([element.name, "@", attribute]).inserted else { continue }
      report(
        .warning, element.line,
        "\(describe(element)) has the attribute \(quoted(attribute)), which is not known"
          + didYouMean(attribute, among: known.read),
        "nothing; it was left out, here and wherever else it occurs")
    }
    for child in element.children {
      if known.children.contains(child.name) {
        visit(child, &reported)
      } else if reported.insert([element.name, child.name]).inserted {
        report(
          .warning, child.line,
          "\(describe(element)) contains an element \(quoted(child.name)), which is not known there"
            + didYouMean(child.name, among: known.children),
          "nothing; it was left out, here and wherever else it occurs")
      }
    }
  }
}
