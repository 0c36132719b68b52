import ErrorReporting
import ManagedModel

/// The composite types of a model, with nested types resolved.
struct CompositeTypes {
  /// In declared order.
  var descriptions: [CompositeDescription] = []
  private var elementsByName: [String: [AttributeDescription]] = [:]

  /// The elements of a composite type; `nil` if the model has no composite type of this name.
  func elements(of name: String) -> [AttributeDescription]? { elementsByName[name] }

  var names: [String] { descriptions.map(\.name) }

  mutating func add(_ description: CompositeDescription) {
    descriptions.append(description)
    elementsByName[description.name] = description.elements
  }

  /// The bounds of a composite: its nesting depth and its number of leaves. Without them, types that double at each
  /// level would exhaust memory.
  static let depthLimit = 16
  static let leafLimit = 1_000
}

extension ModelParser {
  /// Reads all `composite` elements and resolves the composites that each one uses.
  mutating func compositeTypes(_ root: XMLElement) -> CompositeTypes {
    var order: [String] = []
    var unresolved: [String: (element: XMLElement, attributes: [(line: Int, attribute: AttributeDescription)])] = [:]
    for element in root.children(named: "composite") {
      guard let name = name(of: element) else { continue }
      guard unresolved[name] == nil else {
        report(
          .error, element.line, "the model has two composites named \(quoted(name))", "rename or remove one of them")
        continue
      }
      let owner = "composite \(quoted(name))"
      var attributes: [(line: Int, attribute: AttributeDescription)] = []
      for child in element.children(named: "attribute") {
        if let attribute = attribute(child, owner: owner, composites: nil) {
          attributes.append((child.line, attribute))
        }
      }
      unresolved[name] = (element, attributes)
      order.append(name)
    }

    var resolved: [String: (elements: [AttributeDescription], depth: Int, leaves: Int)] = [:]
    /// Resolves a composite after the composites that it uses; `path` lists the composites that contain it.
    func resolve(_ name: String, path: [String], _ parser: inout ModelParser) {
      guard resolved[name] == nil, let (element, attributes) = unresolved[name] else { return }
      var depth = 1
      var leaves = 0
      var elements: [AttributeDescription] = []
      for (line, attribute) in attributes {
        var attribute = attribute
        if let used = attribute.compositeName {
          guard !path.contains(used), used != name, path.count < CompositeTypes.depthLimit else {
            parser.report(
              .error, line,
              "attribute \(quoted(attribute.name)) of composite \(quoted(name)) nests composites in a circle or too deep",
              "nest at most \(CompositeTypes.depthLimit), none inside itself; the attribute was left out")
            continue
          }
          resolve(used, path: path + [name], &parser)
          guard let inner = resolved[used] else {
            parser.reportUnknownComposite(
              used, of: line, "attribute \(quoted(attribute.name)) of composite \(quoted(name))", among: order)
            continue
          }
          attribute.elements = inner.elements
          depth = max(depth, inner.depth + 1)
          leaves += inner.leaves
        } else {
          leaves += 1
        }
        elements.append(attribute)
      }
      if attributes.isEmpty {
        parser.report(
          .warning, element.line, "composite \(quoted(name)) has no elements", "add one, or remove the composite")
      }
      if leaves > CompositeTypes.leafLimit || depth > CompositeTypes.depthLimit {
        parser.report(
          .error, element.line, "composite \(quoted(name)) has more than \(CompositeTypes.leafLimit) elements",
          "split it; its elements were left out")
        (elements, depth, leaves) = ([], 1, 0)
      }
      resolved[name] = (elements, depth, leaves)
    }

    var types = CompositeTypes()
    for name in order {
      resolve(name, path: [], &self)
      types.add(CompositeDescription(name: name, elements: resolved[name]?.elements ?? []))
    }
    return types
  }
}
