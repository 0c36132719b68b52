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
    var resolver = CompositeResolver()
    for element in root.children(named: "composite") {
      guard let name = name(of: element) else { continue }
      guard resolver.unresolved[name] == nil else {
        report(
          .error, element.line, "the model has two composites named \(quoted(name))", "rename or remove one of them")
        continue
      }
      let owner = "composite \(quoted(name))"
      let attributes = element.children(named: "attribute").compactMap { child in
        attribute(child, owner: owner, composites: nil).map { (child.line, $0) }
      }
      resolver.unresolved[name] = (element, attributes)
      resolver.order.append(name)
    }
    var types = CompositeTypes()
    for name in resolver.order {
      resolver.resolve(name, path: [], &self)
      types.add(CompositeDescription(name: name, elements: resolver.resolved[name]?.elements ?? []))
    }
    return types
  }
}

/// Gives each attribute of a composite type the elements of the composite that it uses.
private struct CompositeResolver {
  /// The names of the types, in declared order.
  var order: [String] = []
  var unresolved: [String: (element: XMLElement, attributes: [(line: Int, attribute: AttributeDescription)])] = [:]
  private(set) var resolved: [String: Resolved] = [:]

  struct Resolved {
    var elements: [AttributeDescription] = []
    /// The number of levels, and of attributes that are no composites.
    var depth = 1
    var leaves = 0
  }

  /// Resolves a composite after the composites that it uses.
  ///
  /// - Parameter path: the composites that contain it.
  mutating func resolve(_ name: String, path: [String], _ parser: inout ModelParser) {
    guard resolved[name] == nil, let (element, attributes) = unresolved[name] else { return }
    var type = Resolved()
    for (line, attribute) in attributes {
      var attribute = attribute
      if let used = attribute.compositeName {
        guard let inner = inner(used, of: attribute.name, in: name, path: path, line: line, &parser) else { continue }
        attribute.elements = inner.elements
        type.depth = max(type.depth, inner.depth + 1)
        type.leaves += inner.leaves
      } else {
        type.leaves += 1
      }
      type.elements.append(attribute)
    }
    if attributes.isEmpty {
      parser.report(
        .warning, element.line, "composite \(quoted(name)) has no elements", "add one, or remove the composite")
    }
    if type.leaves > CompositeTypes.leafLimit || type.depth > CompositeTypes.depthLimit {
      parser.report(
        .error, element.line, "composite \(quoted(name)) has more than \(CompositeTypes.leafLimit) elements",
        "split it; its elements were left out")
      type = Resolved()
    }
    resolved[name] = type
  }

  /// The composite that an attribute of another one uses; reports it and returns `nil` if it cannot be used.
  private mutating func inner(
    _ used: String, of attribute: String, in name: String, path: [String], line: Int, _ parser: inout ModelParser
  ) -> Resolved? {
    let subject = "attribute \(quoted(attribute)) of composite \(quoted(name))"
    guard !path.contains(used), used != name, path.count < CompositeTypes.depthLimit else {
      parser.report(
        .error, line, "\(subject) nests composites in a circle or too deep",
        "nest at most \(CompositeTypes.depthLimit), none inside itself; the attribute was left out")
      return nil
    }
    resolve(used, path: path + [name], &parser)
    if let inner = resolved[used] { return inner }
    parser.reportUnknownComposite(used, of: line, subject, among: order)
    return nil
  }
}
