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
    guard !mapped.entities.isEmpty else { return printer.line("didMigrate: nil") }
    printer.line("didMigrate: { context in")
    printer.indented { printer in
      for entity in mapped.entities { renderTable(entity, &printer) }
      for entity in mapped.entities where !entity.assignments.isEmpty {
        loop(entity, &printer) { printer in
          for line in entity.assignments.flatMap({ $0.split(separator: "\n") }) { printer.line(String(line)) }
        }
      }
      for entity in mapped.entities {
        guard let policy = entity.policy else { continue }
        if entity.table == nil {
          printer.block("for row in \(entity.row?.variable ?? "[]")") { $0.line("try \(policy)(row, context)") }
        } else {
          loop(entity, &printer) { $0.line("try \(policy)(row, object, context)") }
        }
      }
      printer.line("try context.save()")
    }
    printer.line("}")
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

  /// Prints the variable that leads from the identifiers of source rows to the new objects.
  private func renderTable(
    _ entity: MappedStageDeclaration.EntityDeclaration, _ printer: inout SourcePrinter
  ) {
    guard let table = entity.table, let destination = entity.destination else { return }
    let isMutable = if case .kept = entity.origin, !entity.isFiltered { false } else { true }
    printer.comment("The entity mapping \(entity.comment).")
    guard isMutable else {
      printer.line("let \(table) = Dictionary(")
      printer.indented {
        $0.line("uniqueKeysWithValues: try context.fetch(FetchDescriptor<\(destination)>())")
        $0.line("  .map { ($0.persistentModelID, $0) })")
      }
      return
    }
    printer.line("var \(table): [PersistentIdentifier: \(destination)] = [:]")
    switch entity.origin {
    case .none: break
    case .inserted(let creation):
      printer.block("for row in \(entity.row?.variable ?? "[]")") { printer in
        printer.line("let object = \(creation)")
        printer.line("context.insert(object)")
        printer.line("\(table)[row.persistentModelID] = object")
      }
    case .kept:
      printer.block("for object in try context.fetch(FetchDescriptor<\(destination)>())") { printer in
        printer.line("\(table)[object.persistentModelID] = object")
      }
    case .renamed:
      printer.line("let \(table)Keys = Dictionary(")
      printer.indented {
        $0.line("uniqueKeysWithValues: \(entity.row?.variable ?? "[]").map { (rowKey($0.persistentModelID), $0) })")
      }
      printer.block("for object in try context.fetch(FetchDescriptor<\(destination)>())") { printer in
        printer.line("guard let row = \(table)Keys[rowKey(object.persistentModelID)] else { continue }")
        printer.line("\(table)[row.persistentModelID] = object")
      }
    }
    if entity.isFiltered, let row = entity.row {
      renderFilter(entity, row, table, &printer)
    }
  }

  /// Prints the deletion of kept rows that the mapping's filter leaves out.
  private func renderFilter(
    _ entity: MappedStageDeclaration.EntityDeclaration, _ row: MappedStageDeclaration.RowDeclaration, _ table: String,
    _ printer: inout SourcePrinter
  ) {
    switch entity.origin {
    case .kept:
      printer.line("let \(table)Taken = Set(\(row.variable).map(\\.persistentModelID))")
      printer.block("for (identifier, object) in \(table) where !\(table)Taken.contains(identifier)") { printer in
        printer.line("\(table)[identifier] = nil")
        printer.line("context.delete(object)")
      }
    case .renamed:
      printer.block("for object in try context.fetch(FetchDescriptor<\(entity.destination ?? "")>())") { printer in
        printer.line("if \(table)Keys[rowKey(object.persistentModelID)] == nil { context.delete(object) }")
      }
    case .inserted, .none: break
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
