extension SwiftRenderer {
  func render(_ schema: SchemaDeclaration, _ printer: inout SourcePrinter) {
    for comment in schema.comments { printer.comment(comment, prefix: "/// ") }
    printer.block("\(modifier)enum \(schema.name): VersionedSchema") { printer in
      printer.block("\(modifier)static var versionIdentifier: Schema.Version") {
        $0.line("Schema.Version(\(schema.versionNumber), 0, 0)")
      }
      printer.line()
      printer.block("\(modifier)static var models: [any PersistentModel.Type]") {
        $0.list("[", schema.classes.map { "\($0.name).self" }, "]", trailingComma: true)
      }
      render("fetchRequests", of: "Schema.FetchRequest", schema.fetchRequests, &printer)
      render("configurations", of: "Schema.Configuration", schema.configurations, &printer)
      for declaration in schema.functions {
        printer.line()
        render(declaration, &printer)
      }
      for declaration in schema.classes {
        printer.line()
        render(declaration, &printer)
      }
      for declaration in schema.composites {
        printer.line()
        render(declaration, &printer)
      }
      for declaration in schema.enumerations {
        printer.line()
        render(declaration, &printer)
      }
    }
  }

  /// Prints a static property that lists values; prints nothing if there are none.
  private func render(_ name: String, of type: String, _ values: [Expression], _ printer: inout SourcePrinter) {
    guard !values.isEmpty else { return }
    printer.line()
    printer.block("\(modifier)static var \(name): [\(type)]") {
      let texts = values.map(ExpressionRenderer.render)
      // The seven columns are the indentation and a comma.
      guard texts.contains(where: { $0.count > SourcePrinter.maximumWidth - 7 }) else {
        return $0.list("[", texts, "]", trailingComma: true)
      }
      $0.line("[")
      $0.indented { printer in
        for value in values {
          guard case .call(let name, let arguments) = value else { continue }
          printer.list("\(name)(", arguments.map(ExpressionRenderer.argument), values.count > 1 ? ")," : ")")
        }
      }
      $0.line("]")
    }
  }

  private func render(_ declaration: FunctionDeclaration, _ printer: inout SourcePrinter) {
    for comment in declaration.comments { printer.comment(comment, prefix: "/// ") }
    let parameters = declaration.parameters.map {
      "\(ExpressionRenderer.identifier($0.name)): \(ExpressionRenderer.type($0.type))"
    }
    let name = ExpressionRenderer.identifier(declaration.name)
    printer.list(
      "\(modifier)static func \(name)(", parameters,
      ")\(declaration.isThrowing ? " throws" : "") -> \(declaration.result) {")
    var body = declaration.body
    if body.count == 1, body[0].hasPrefix("return ") { body[0].removeFirst("return ".count) }
    printer.indented { printer in
      for line in body { printer.line(line) }
    }
    printer.line("}")
  }

  private func render(_ declaration: ClassDeclaration, _ printer: inout SourcePrinter) {
    for comment in declaration.comments { printer.comment(comment) }
    if declaration.arguments.isEmpty {
      printer.line("@Model")
    } else {
      printer.list("@Model(", declaration.arguments.map(ExpressionRenderer.argument), ")")
    }
    let final = declaration.isFinal ? "final " : ""
    let superclass = declaration.superclass.map { ": \($0)" } ?? ""
    printer.block("\(modifier)\(final)class \(declaration.name)\(superclass)") { printer in
      for macro in declaration.macros {
        printer.list(
          "#\(macro.name)<\(declaration.name)>(", macro.arguments.map(ExpressionRenderer.argument), ")")
        printer.line()
      }
      for property in declaration.properties { render(property, &printer) }
      if !declaration.properties.isEmpty { printer.line() }
      render(declaration.initializer, &printer)
    }
  }

  private func render(_ property: PropertyDeclaration, _ printer: inout SourcePrinter) {
    for comment in property.comments { printer.comment(comment) }
    let initialValue = property.initialValue.flatMap { Self.isImplied($0) ? nil : ExpressionRenderer.render($0) }
    let variable =
      "\(modifier)var \(ExpressionRenderer.identifier(property.name)): \(ExpressionRenderer.type(property.type))"
      + (initialValue.map { " = \($0)" } ?? "")
    guard let attribute = property.attribute else { return printer.line(variable) }
    let single = "\(self.attribute(attribute)) \(variable)"
    if printer.fits(single) { return printer.line(single) }
    if attribute.arguments.isEmpty {
      printer.line("@\(attribute.name)")
    } else {
      printer.list("@\(attribute.name)(", attribute.arguments.map(ExpressionRenderer.argument), ")")
    }
    printer.line(variable)
  }

  /// Whether the initial value is `nil`, which an optional variable has by default.
  private static func isImplied(_ value: Expression) -> Bool { value == Expression.none }

  private func render(_ initializer: InitializerDeclaration, _ printer: inout SourcePrinter) {
    let parameters = initializer.parameters.map { parameter in
      "\(ExpressionRenderer.identifier(parameter.name)): \(ExpressionRenderer.type(parameter.type))"
        + (parameter.defaultValue.map { " = \(ExpressionRenderer.render($0))" } ?? "")
    }
    let override = initializer.isOverride ? "override " : ""
    printer.list("\(modifier)\(override)init(", parameters, ") {")
    printer.indented { printer in
      for name in initializer.assigned {
        let identifier = ExpressionRenderer.identifier(name)
        printer.line("self.\(identifier) = \(identifier)")
      }
      if let passed = initializer.passedToSuperclass {
        let arguments = passed.map { name in
          "\(ExpressionRenderer.label(name)): \(ExpressionRenderer.identifier(name))"
        }
        printer.list("super.init(", arguments, ")")
      }
    }
    printer.line("}")
  }

  private func render(_ declaration: StructDeclaration, _ printer: inout SourcePrinter) {
    for comment in declaration.comments { printer.comment(comment) }
    if declaration.isExact {
      printer.line("@Composite" + (declaration.storedName.map { "(\(ExpressionRenderer.string($0)))" } ?? ""))
    }
    printer.block("\(modifier)struct \(declaration.name): Codable, Hashable, Sendable") { printer in
      for property in declaration.properties { render(property, &printer) }
      if !declaration.codingKeys.isEmpty {
        printer.line()
        render(declaration.codingKeys, &printer)
      }
      // The compiler generates an internal initializer itself.
      guard access != .internal else { return }
      if !declaration.properties.isEmpty { printer.line() }
      let parameters = declaration.properties.map {
        InitializerDeclaration.Parameter(
          name: $0.name, type: $0.type,
          defaultValue: $0.initialValue ?? ($0.type.isOptional ? Expression.none : nil))
      }
      render(
        InitializerDeclaration(parameters: parameters, assigned: parameters.map(\.name), passedToSuperclass: nil),
        &printer)
    }
  }

  private func render(_ keys: [StructDeclaration.CodingKey], _ printer: inout SourcePrinter) {
    printer.block("private enum CodingKeys: String, CodingKey") { printer in
      for key in keys { printer.line(Self.enumCase(key.name, rawValue: key.persistentName)) }
    }
  }

  private func render(_ declaration: EnumDeclaration, _ printer: inout SourcePrinter) {
    printer.block("\(modifier)enum \(declaration.name): String, Codable, CaseIterable, Sendable") { printer in
      for item in declaration.cases {
        printer.line(Self.enumCase(item.name, rawValue: item.label))
      }
    }
  }

  /// The text is the raw value by default if it is the name.
  private static func enumCase(_ name: String, rawValue: String) -> String {
    let identifier = ExpressionRenderer.identifier(name)
    return name == rawValue ? "case \(identifier)" : "case \(identifier) = \(ExpressionRenderer.string(rawValue))"
  }
}
