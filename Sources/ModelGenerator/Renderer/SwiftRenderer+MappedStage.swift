import ErrorReporting

extension SwiftRenderer {
  /// Prints a stage that carries out a mapping model, with the functions that the developer completes.
  func render(
    mappedStage stage: MigrationStageDeclaration, _ mapped: MappedStageDeclaration, plan: String,
    _ printer: inout SourcePrinter
  ) {
    printer.block("extension \(plan)") { printer in
      printer.comment(
        "From ``\(stage.from)`` to ``\(stage.to)``, as the mapping model \(quoted(mapped.mapping)) says.",
        prefix: "/// ")
      printer.comment("", prefix: "///")
      printer.comment(
        "The stage keeps rows and values that correspond by name. Values that an expression of the mapping model needs "
          + "are read before the stage and set after it.", prefix: "/// ")
      printer.block("static var \(stage.name): MigrationStage") { printer in
        for row in mapped.rows { printer.line("var \(row.variable): [\(row.name)] = []") }
        printer.line("return .custom(")
        printer.indented { printer in
          printer.line("fromVersion: \(stage.from).self,")
          printer.line("toVersion: \(stage.to).self,")
          renderReading(mapped.rows, &printer)
          renderSetting(mapped, &printer)
        }
        printer.line(")")
      }
      for row in mapped.rows {
        printer.line()
        render(row, &printer)
      }
      for stub in mapped.stubs {
        printer.line()
        render(stub, &printer)
      }
      if mapped.usesRowKeys {
        printer.line()
        printer.comment("The key of a row, which it keeps when its entity gets another name.", prefix: "/// ")
        printer.block("private static func rowKey(_ identifier: PersistentIdentifier) -> Substring") {
          $0.line("\"\\(identifier)\".split(separator: \"/\").last ?? \"\"")
        }
      }
      renderHelpers(mapped.helpers, &printer)
      if !mapped.stubs.isEmpty {
        printer.line()
        printer.comment("A part of the stage that nobody has written yet.", prefix: "/// ")
        printer.block("private struct Unwritten: Error, CustomStringConvertible") { $0.line("let description: String") }
      }
    }
  }

  private func renderReading(_ rows: [MappedStageDeclaration.RowDeclaration], _ printer: inout SourcePrinter) {
    guard !rows.isEmpty else { return printer.line("willMigrate: nil,") }
    printer.line("willMigrate: { context in")
    printer.indented { printer in
      for row in rows {
        if let condition = row.condition {
          printer.line("\(row.variable) = try context.fetch(")
          printer.indented { $0.line("FetchDescriptor<\(row.source)>(predicate: #Predicate { \(condition) })") }
          printer.line(")")
        } else {
          printer.line("\(row.variable) = try context.fetch(FetchDescriptor<\(row.source)>())")
        }
        let chain =
          (row.isExact ? [".filter { type(of: $0) == \(row.source).self }"] : [])
          + (row.filter.map { [".filter(\($0))"] } ?? []) + [".map(\(row.name).init)"]
        // After a closing parenthesis on a line of its own, the formatter wants no further indentation.
        if row.condition != nil {
          for call in chain { printer.line(call) }
        } else {
          printer.indented { for call in chain { $0.line(call) } }
        }
      }
    }
    printer.line("},")
  }

  private func renderSetting(_ mapped: MappedStageDeclaration, _ printer: inout SourcePrinter) {
    guard !mapped.entities.isEmpty || !mapped.unmapped.isEmpty else { return printer.line("didMigrate: nil") }
    printer.line("didMigrate: { context in")
    printer.indented { printer in
      for departure in mapped.unmapped { render(unmapped: departure, &printer) }
      // Rows that the stage has carried over come before new objects, which would be taken for such rows.
      for entity in mapped.entities where !entity.isInserted { renderKept(entity, &printer) }
      for entity in mapped.entities where entity.isInserted { renderInserted(entity, &printer) }
      for statements in [\MappedStageDeclaration.EntityDeclaration.resets, \.assignments] {
        for entity in mapped.entities where !entity[keyPath: statements].isEmpty {
          loop(entity, &printer) { printer in
            for statement in entity[keyPath: statements] { render(statement, &printer) }
          }
        }
      }
      for entity in mapped.entities {
        guard let policy = entity.policy, let row = entity.row else { continue }
        if entity.destination == nil {
          printer.block("for row in \(row.variable)") { $0.line("try \(policy)(row, context)") }
        } else {
          loop(entity, &printer) { $0.line("try \(policy)(row, object, context)") }
        }
      }
      printer.line("try context.save()")
    }
    printer.line("}")
  }

  /// Prints a statement of one line or several. If its first line is too long, all of its value is indented.
  private func render(_ statement: String, _ printer: inout SourcePrinter) {
    let lines = statement.split(separator: "\n").map(String.init)
    guard lines.count > 1, !printer.fits(lines[0]), let sign = lines[0].firstRange(of: " = ") else {
      return lines.forEach { printer.line($0) }
    }
    printer.line(lines[0][..<sign.lowerBound] + " =")
    printer.indented { printer in
      for line in [String(lines[0][sign.upperBound...])] + lines.dropFirst() { printer.line(line) }
    }
  }

  private func loop(
    _ entity: MappedStageDeclaration.EntityDeclaration, _ printer: inout SourcePrinter,
    _ body: (inout SourcePrinter) -> Void
  ) {
    guard let row = entity.row, let table = entity.table else { return }
    printer.block("for row in \(row.variable)") { printer in
      printer.line("guard let object = \(table)[row.persistentModelID] else { continue }")
      body(&printer)
    }
  }

  private func render(_ row: MappedStageDeclaration.RowDeclaration, _ printer: inout SourcePrinter) {
    printer.comment("A row of ``\(row.source)`` before the stage.", prefix: "/// ")
    printer.block("private struct \(row.name)") { printer in
      printer.line("let persistentModelID: PersistentIdentifier")
      for field in row.fields { printer.line("let \(field.name): \(field.type)") }
      printer.line()
      printer.block("init(_ object: \(row.source))") { printer in
        printer.line("persistentModelID = object.persistentModelID")
        for field in row.fields { printer.line("\(field.name) = \(field.value)") }
      }
    }
  }

  private func render(_ stub: MappedStageDeclaration.StubDeclaration, _ printer: inout SourcePrinter) {
    for comment in stub.comments { printer.comment(comment, prefix: comment.isEmpty ? "///" : "/// ") }
    let result = stub.result.map { " -> \($0)" } ?? ""
    printer.list("private static func \(stub.name)(", stub.parameters, ") throws\(result) {")
    printer.indented {
      $0.list(
        "throw Unwritten(", ["description: \(ExpressionRenderer.string("Not written yet: \(stub.reason)."))"], ")")
    }
    printer.line("}")
  }
}

extension MappedStageDeclaration {
  fileprivate var rows: [RowDeclaration] { entities.compactMap(\.row) }
}

extension MappedStageDeclaration.EntityDeclaration {
  fileprivate var isInserted: Bool { if case .inserted = origin { true } else { false } }
}
