extension RandomSchema {
  /// The schema's classes, and their tables for the runner, in a namespace of their own.
  var source: String {
    """
    enum \(name) {
    \(classes.map(declaration).joined(separator: "\n"))
      static func tables() -> [any AnyClassTable] {
    \(classes.map(table).joined(separator: "\n"))
        return [\(classes.map { "table\($0.name)" }.joined(separator: ", "))]
      }
    }
    """
  }

  private func declaration(_ one: Class) -> String {
    let attributes = one.attributes.map {
      "    var \($0.name): \($0.type.name)" + ($0.isOptional ? "?" : " = \($0.type.initialValue)")
    }
    let links = one.links.map {
      ($0.options.map { "    @Relationship(\($0)) " } ?? "    ") + "var \($0.name): "
        + ($0.isToMany ? "[\($0.destination)] = []" : "\($0.destination)?")
    }
    let initializer =
      one.superclass == nil
      ? "    var serial: Int\n    init(serial: Int) { self.serial = serial }"
      : "    override init(serial: Int) { super.init(serial: serial) }"
    return """
        @Model\(one.isAbstract ? "(isAbstract: true)" : "") class \(one.name)\(one.superclass.map { ": \($0)" } ?? "") {
      \((attributes + links + [initializer]).joined(separator: "\n"))
        }
      """
  }

  private func table(_ one: Class) -> String {
    let line = line(of: one.name)
    let table = "table\(one.name)"
    var lines = [
      "let \(table) = ClassTable<\(one.name)>(\"\(name).\(one.name)\", serial: \\\(one.name).serial"
        + (one.isAbstract ? ")" : ") { \(one.name)(serial: $0) }")
    ]
    for attribute in line.flatMap(\.attributes) {
      let isComposite = attribute.type.name == "Place"
      let plain = attribute.isOptional ? "optional" : "value"
      let method = isComposite ? "composite" : attribute.type.name == "[String]" ? "tags" : plain
      let label = isComposite && attribute.isOptional ? "optional: " : ""
      lines.append("\(table).\(method)(\(label)\"\(attribute.name)\", \\\(one.name).\(attribute.name))")
      if attribute.type.isSorted { lines += sorts(one.name, attribute.name, attribute.type.name) }
      if isComposite { lines += sorts(one.name, "\(attribute.name)\(attribute.isOptional ? "?" : "").zip", "Int") }
    }
    for link in line.flatMap(\.links) {
      lines.append("\(table).\(link.isToMany ? "many" : "one")(\"\(link.name)\", \\\(one.name).\(link.name))")
      guard !link.isToMany else { continue }
      // An order by an attribute of the one object, and of one further on.
      let destination = self.line(of: link.destination)
      for attribute in destination.flatMap(\.attributes).filter(\.type.isSorted).prefix(2) {
        lines += sorts(one.name, "\(link.name)?.\(attribute.name)", attribute.type.name)
      }
      if let next = destination.flatMap(\.links).first(where: { !$0.isToMany }),
        let attribute = self.line(of: next.destination).flatMap(\.attributes).first(where: \.type.isSorted)
      {
        lines += sorts(one.name, "\(link.name)?.\(next.name)?.\(attribute.name)", attribute.type.name)
      }
    }
    for child in children(of: one.name) {
      lines.append("\(table).above(\(child.name).self)")
      lines += children(of: child.name).map { "\(table).above(\($0.name).self)" }
    }
    return lines.map { "    \($0)" }.joined(separator: "\n")
  }

  private func sorts(_ name: String, _ path: String, _ type: String) -> [String] {
    let plain = "table\(name).sort(\"\(path)\") { SortDescriptor(\\\(name).\(path), order: $0) }"
    guard type == "String" else { return [plain] }
    let lexical = "SortDescriptor(\\\(name).\(path), comparator: .lexical, order: $0)"
    return [plain, "table\(name).sort(\"\(path) as written\") { \(lexical) }"]
  }

  /// All schemas of a program, as the runner looks for them.
  static func program(of schemas: [RandomSchema]) -> String {
    """
    import Foundation
    import SwiftData

    enum RandomSchemas {
      static var all: [(name: String, tables: () -> [any AnyClassTable])] {
        [\(schemas.map { "(\"\($0.name)\", \($0.name).tables)" }.joined(separator: ", "))]
      }
    }
    """
  }
}
