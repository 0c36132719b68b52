/// The parts of a mapped stage that find, make and delete objects.
extension SwiftRenderer {
  private typealias Entity = MappedStageDeclaration.EntityDeclaration

  /// Prints the deletion of all objects of a class.
  func render(unmapped departure: MappedStageDeclaration.DepartureDeclaration, _ printer: inout SourcePrinter) {
    printer.comment("No entity mapping takes the rows of \(departure.destination): they stay behind.")
    renderObjects(of: departure, &printer) { renderDeletion(departure, &$0) }
  }

  /// Prints the new objects of an entity mapping, and the variable that leads to them from the identifiers of source rows.
  func renderInserted(_ entity: MappedStageDeclaration.EntityDeclaration, _ printer: inout SourcePrinter) {
    guard case .inserted(let creation, let readsRow) = entity.origin, let row = entity.row,
      let destination = entity.destination
    else { return }
    printer.comment("The entity mapping \(entity.comment).")
    if let table = entity.table { printer.line("var \(table): [PersistentIdentifier: \(destination)] = [:]") }
    printer.block("for \(entity.table == nil && !readsRow ? "_" : "row") in \(row.variable)") { printer in
      printer.line("let object = \(creation)")
      printer.line("context.insert(object)")
      if let table = entity.table { printer.line("\(table)[row.persistentModelID] = object") }
    }
  }

  /// Prints the table of the objects that the stage has carried over, by the identifiers of their source rows. Also prints the
  /// deletion of the objects that the filter leaves out.
  func renderKept(_ entity: MappedStageDeclaration.EntityDeclaration, _ printer: inout SourcePrinter) {
    guard let destination = entity.destination, entity.table != nil || entity.filtered != nil else { return }
    switch entity.origin {
    case .kept:
      printer.comment("The entity mapping \(entity.comment).")
      renderKept(entity, destination, &printer)
    case .renamed(let keys):
      guard let row = entity.row else { return }
      printer.comment("The entity mapping \(entity.comment).")
      printer.line("let \(keys) = Dictionary(")
      printer.indented {
        $0.line("uniqueKeysWithValues: \(row.variable).map { (rowKey($0.persistentModelID), $0.persistentModelID) })")
      }
      renderRenamed(entity, destination, keys, &printer)
    case .inserted, .none: break
    }
  }

  private func renderKept(_ entity: Entity, _ destination: String, _ printer: inout SourcePrinter) {
    guard let filtered = entity.filtered, let row = entity.row else {
      guard let table = entity.table else { return }
      printer.line("let \(table) = Dictionary(")
      printer.indented {
        $0.line("uniqueKeysWithValues: try context.fetch(FetchDescriptor<\(destination)>())")
        $0.line("  .map { ($0.persistentModelID, $0) })")
      }
      return
    }
    printer.line("let \(filtered.taken) = Set(\(row.variable).map(\\.persistentModelID))")
    if let table = entity.table { printer.line("var \(table): [PersistentIdentifier: \(destination)] = [:]") }
    renderObjects(of: filtered.departure, &printer) { printer in
      printer.block("if \(filtered.taken).contains(object.persistentModelID)") { printer in
        if let table = entity.table { printer.line("\(table)[object.persistentModelID] = object") }
        printer.line("continue")
      }
      renderDeletion(filtered.departure, &printer)
    }
  }

  private func renderRenamed(_ entity: Entity, _ destination: String, _ keys: String, _ printer: inout SourcePrinter) {
    if let table = entity.table { printer.line("var \(table): [PersistentIdentifier: \(destination)] = [:]") }
    let find = "\(keys)[rowKey(object.persistentModelID)]"
    guard let filtered = entity.filtered else {
      guard let table = entity.table else { return }
      printer.block("for object in try context.fetch(FetchDescriptor<\(destination)>())") { printer in
        printer.line("guard let identifier = \(find) else { continue }")
        printer.line("\(table)[identifier] = object")
      }
      return
    }
    renderObjects(of: filtered.departure, &printer) { printer in
      if let table = entity.table {
        printer.block("if let identifier = \(find)") { printer in
          printer.line("\(table)[identifier] = object")
          printer.line("continue")
        }
      } else {
        printer.line("if \(find) != nil { continue }")
      }
      renderDeletion(filtered.departure, &printer)
    }
  }

  /// Prints a loop over the objects of exactly one class.
  private func renderObjects(
    of departure: MappedStageDeclaration.DepartureDeclaration, _ printer: inout SourcePrinter,
    _ body: (inout SourcePrinter) -> Void
  ) {
    printer.block("for object in try context.fetch(FetchDescriptor<\(departure.destination)>())") { printer in
      if departure.isExact {
        printer.line("guard type(of: object) == \(departure.destination).self else { continue }")
      }
      body(&printer)
    }
  }

  /// Prints the deletion of an object, after statements that clear the relationships whose delete rules would change
  /// other objects.
  private func renderDeletion(
    _ departure: MappedStageDeclaration.DepartureDeclaration, _ printer: inout SourcePrinter
  ) {
    for statement in departure.statements { printer.line(statement) }
    printer.line("context.delete(object)")
  }

  // MARK: Functions

  func renderHelpers(_ helpers: Set<MappedStageDeclaration.Helper>, _ printer: inout SourcePrinter) {
    guard !helpers.isEmpty else { return }
    let error = MappedStageDeclaration.Helper.error
    for helper in MappedStageDeclaration.Helper.allCases where helpers.contains(helper) {
      printer.line()
      for line in Self.source(of: helper, error: error).split(separator: "\n") { printer.line(String(line)) }
    }
    printer.line()
    printer.comment("A value that a property cannot have.", prefix: "/// ")
    printer.block("private struct \(error): Error, CustomStringConvertible") { $0.line("let description: String") }
  }

  private static func source(of helper: MappedStageDeclaration.Helper, error: String) -> String {
    switch helper {
    case .computed:
      """
      /// Computes with integers, and fails if there is no result. A quotient is cut towards zero.
      private static func computed(
        _ left: Int64, _ symbol: Character, _ right: Int64, for property: String
      ) throws -> Int64 {
        let (result, isMissing) =
          switch symbol {
          case "+": left.addingReportingOverflow(right)
          case "-": left.subtractingReportingOverflow(right)
          case "/": left.dividedReportingOverflow(by: right)
          default: left.multipliedReportingOverflow(by: right)
          }
        if isMissing { throw \(error)(description: "\\(property) cannot hold \\(left) \\(symbol) \\(right).") }
        return result
      }
      """
    case .quotient:
      """
      /// Divides numbers, and fails if there is no result.
      private static func quotient(_ left: Double, _ right: Double, for property: String) throws -> Double {
        let result = left / right
        guard result.isFinite else { throw \(error)(description: "\\(property) cannot hold \\(left) / \\(right).") }
        return result
      }
      """
    case .converted:
      """
      /// Converts a value, and fails if the new type cannot hold it.
      private static func converted<Old, New>(
        _ value: Old, for property: String, _ convert: (Old) -> New?
      ) throws -> New {
        guard let result = convert(value) else {
          throw \(error)(description: "\\(property) cannot hold \\(value).")
        }
        return result
      }
      """
    case .required:
      """
      /// Unwraps a value, and fails if there is none.
      private static func required<Value>(_ value: Value?, for property: String) throws -> Value {
        guard let value else {
          throw \(error)(description: "\\(property) requires a value, and a row has none.")
        }
        return value
      }
      """
    }
  }
}
