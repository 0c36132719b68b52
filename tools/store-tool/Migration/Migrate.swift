import ArgumentParser
import CoreDataStore
import ErrorReporting
import Foundation
import ManagedModel
import PostgreSQLStore
import StoreRequests
import ToolConsole
import ToolModels

/// `store-tool migrate STORE --to MODEL`
struct Migrate: StoreCommand {
  static let configuration = CommandConfiguration(
    abstract: "Migrates a store to a model, or shows how.",
    discussion: """
      The changes are inferred from the store's model and the given one, and printed in words. ~ marks a change that Core Data \
      infers too, ! one that it does not: this library carries it out where the types and the rows allow it, and otherwise \
      refuses the migration. With --dry-run the migration is tried on a temporary copy, its SQL is \
      printed, and the store stays as it is.

      The migration runs in one transaction. The store as it was is kept in STORE.backup until the migration has succeeded \
      (in STORE-backup if STORE has no extension). If rows are in the way, if the disk is full, if the run is interrupted or \
      killed, the store is as it was. Before you migrate, close the programs that have the store open.

      With --plan, mapping models are carried out first. Each one writes a new store, which takes the place of the store before \
      it. As with Core Data, history and the tables of other programs stay behind. The numbers of rows that each entity \
      mapping wrote are printed, then the rows and tables that stay behind.

      With --duplicates keep-existing or upsert, rows that have the values of a new uniqueness constraint in common become one \
      row: objects that lead to the others lead to it, and it gains their members. Without it they are in the way.

      Entities that the model does not have are removed with their objects, and their numbers are printed; --keep-entities keeps \
      them. A store without a model of its own needs a model that has its version among others.

      STORE can be a PostgreSQL database, as postgresql://user@host/database. Its store is migrated in one transaction of the \
      server, as a program's container does it: readers and writers of the tables wait, another migration too, and a run that \
      fails or is interrupted leaves the store as it was. Indexes are made after the commit. There is no copy of the store as \
      it was: pg_dump makes one. PGPASSWORD or ~/.pgpass gives the password.

      EXAMPLES
        store-tool migrate Library.sqlite --to Library.xcdatamodeld --dry-run
        store-tool migrate Library.sqlite --to Library.xcdatamodeld
        store-tool migrate Library.sqlite --to Library.xcdatamodeld \\
          --output Migrated.sqlite
        store-tool migrate postgresql://app@db.example/library --schema library \\
          --to Library.xcdatamodeld --dry-run
        store-tool migrate postgresql://app@db.example/library --schema library \\
          --to Library.xcdatamodeld
        store-tool migrate Old.sqlite --to Library.xcdatamodeld \\
          --plan 1to2.xcmappingmodel 2to3.xcmappingmodel

      EXIT CODES
        0    done, or the store has the model already
        1    the migration is refused, as rows are in the way or a change cannot be
             made: the message says which, and what to do
        2    the store or the model cannot be read or written
        130  interrupted
      """)

  @Argument(help: "The store's file, or a database.", transform: parseFilePath) var store: String
  @Option(
    name: .customLong("to"),
    help: ArgumentHelp(
      "The model to migrate to: an .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store.", valueName: "path"),
    transform: parsePath)
  var model: String
  @Option(help: ArgumentHelp("The version of the model; the current one by default.", valueName: "name"))
  var modelVersion: String?
  @Option(
    name: .customLong("plan"), parsing: .upToNextOption,
    help: ArgumentHelp(
      "Mapping models to carry out in this order before the inferred migration: .xcmappingmodel or .cdm.",
      valueName: "mapping"), transform: parsePath)
  var mappings: [String] = []
  @Flag(help: "With --plan: leave out policy classes, which are code of a program.") var skipPolicies = false
  @Flag(help: "Print the changes and the SQL, and migrate nothing.") var dryRun = false
  @Option(
    name: .shortAndLong, help: ArgumentHelp("Migrate a copy, which is written here.", valueName: "file"),
    transform: parseFilePath)
  var output: String?
  @Flag(help: "With --output: replace a store that exists.") var force = false
  @Flag(help: "Keep entities that the model does not have.") var keepEntities = false
  @Option(
    help: ArgumentHelp(
      "Rows that a new uniqueness constraint finds with equal values: fail refuses them, keep-existing keeps the oldest row, upsert the newest.",
      valueName: "policy"))
  var duplicates = Duplicates.fail
  @Flag(help: "Keep STORE.backup after the migration too.") var keepBackup = false
  @Option(help: ArgumentHelp("The schema of the database; public by default.", valueName: "name")) var schema: String?
  @Flag(help: "Print JSON.") var json = false

  func validate() throws {
    if DatabaseAddress.isAddress(store) {
      for (option, isGiven) in [
        ("--plan", !mappings.isEmpty), ("--output", output != nil), ("--keep-backup", keepBackup),
      ]
      where isGiven { throw ValidationError("\(option) is for files, not for databases: leave it out.") }
    } else if schema != nil {
      throw ValidationError("--schema needs a database, such as postgresql://user@host/database.")
    }
    if dryRun, output != nil { throw ValidationError("--output cannot be combined with --dry-run: leave one out.") }
    if force, output == nil { throw ValidationError("--force needs --output.") }
    if skipPolicies, mappings.isEmpty { throw ValidationError("--skip-policies needs --plan.") }
    if keepEntities, !mappings.isEmpty {
      throw ValidationError("--keep-entities cannot be combined with --plan: a mapping model names what it keeps.")
    }
    if keepBackup, dryRun || output != nil {
      throw ValidationError("--keep-backup is for a store that is migrated in its place: leave it out.")
    }
  }

  /// `--duplicates`, in the words of `UniquenessPolicy`.
  enum Duplicates: String, ExpressibleByArgument, CaseIterable {
    case fail
    case keepExisting = "keep-existing"
    case upsert

    var policy: ChangeSet.DuplicatePolicy {
      switch self {
      case .fail: .fail
      case .keepExisting: .keep
      case .upsert: .overwrite
      }
    }
  }

  /// The JSON output.
  private struct Document: Encodable {
    let formatVersion = 1
    let store: String
    let version: String
    let ownVersion: String?
    /// `upToDate`, `planned`, `migrated` or `refused`.
    let result: String
    let changes: [ChangeDocument]
    /// Objects by entity that are removed with their entities; mapping models have their own.
    var objectsLeftBehind: [String: Int] = [:]
    var obstacles: [ObstacleDocument] = []
    /// Of a dry run.
    var sql: [String]?
    var mappings: [MappingDocument] = []
    var file: String?
    var backup: String?

    /// The output of a migration that rows, or the two models, stand in the way of.
    func refused(_ obstacles: [MigrationError]) -> Document {
      Document(
        store: store, version: version, ownVersion: ownVersion, result: "refused", changes: changes,
        obstacles: obstacles.map(ObstacleDocument.init))
    }
  }

  func perform() throws {
    let target = try MigrationTarget(path: model, version: modelVersion)
    if DatabaseAddress.isAddress(store) { return try migrateServer(to: target) }
    let url = URL(fileURLWithPath: store)
    Interruption.shared.observe()
    let own = target.versionOfStore(url)
    let chain = try MappingChain(mappings, of: target.file, skipsPolicies: skipPolicies)
    let run = MigrationRun(
      store: url, model: target.version.model, source: own?.model, keepsEntities: keepEntities, chain: chain,
      duplicates: duplicates.policy)
    let plan = try run.plan()
    var document = Document(
      store: store, version: target.name(of: target.version), ownVersion: own.map(target.name),
      result: plan.isUpToDate ? "upToDate" : dryRun ? "planned" : "migrated", changes: ChangeDocument.list(plan))
    if chain.isEmpty { document.objectsLeftBehind = plan.removedObjects }
    if !json { try Console.print(header(plan, document).joined(separator: "\n")) }
    let obstacles: [MigrationError]
    do { obstacles = try carryOut(run, plan, &document) } catch let error as MigrationError {
      obstacles = [error]
    } catch let error as StoreCopyError {
      throw Failure(ofCopy: error, suggestsForce: !force)
    }
    Console.report(obstacles.map { Message(file: store, $0) })
    var output = VerdictOutput()
    if json {
      try output.print { try Console.print(json: obstacles.isEmpty ? document : document.refused(obstacles)) }
    }
    try output.end(with: obstacles.isEmpty ? 0 : 1)
  }

  private func migrateServer(to target: MigrationTarget) throws {
    var options = ServerOptions()
    if let schema { options.schema = schema }
    options.duplicates = duplicates.policy
    try ServerMigrationRun(
      address: store, options: options, keepsEntities: keepEntities, isDry: dryRun, json: json
    ).run(target)
  }

  /// Tries the migration, or migrates a copy or the store, and notes the result in the document.
  ///
  /// - Returns: the reasons for which the store cannot be migrated.
  /// - Throws: `MigrationError` for such a reason, too; `StoreCopyError`; `StoreError`.
  private func carryOut(
    _ run: MigrationRun, _ plan: MigrationPlan, _ document: inout Document
  ) throws -> [MigrationError] {
    if let refusal = plan.refusal, run.chain.isEmpty { return [refusal] }
    if dryRun {
      return plan.isUpToDate ? [] : try rehearse(run, plan, &document)
    } else if let output {
      let place = URL(fileURLWithPath: output)
      document.mappings = try run.migrateCopy(to: place, replaces: force, isUpToDate: plan.isUpToDate)
      document.file = place.path
      Console.noteSaved("the migrated store is written to \(output)")
      try print(document.mappings)
      if !json { try Console.print("\(onOneLine(output)): written") }
    } else if !plan.isUpToDate {
      let (mappings, backup) = try run.migrateInPlace(keepsBackup: keepBackup)
      (document.mappings, document.file, document.backup) = (mappings, run.store.path, backup?.path)
      Console.noteSaved("the store is migrated")
      try print(mappings)
      if !json {
        try Console.print("migrated" + (backup.map { "; the store as it was: \(onOneLine($0.path))" } ?? ""))
      }
    }
    return []
  }

  private func rehearse(
    _ run: MigrationRun, _ plan: MigrationPlan, _ document: inout Document
  ) throws -> [MigrationError] {
    let (mappings, obstacles) = try run.rehearse()
    document.mappings = mappings
    try print(mappings)
    // The SQL of mapping models follows from the rows, not from the models alone.
    if obstacles.isEmpty, run.chain.isEmpty {
      let sql = MigrationText(plan: plan).sql
      document.sql = sql
      if !json { try Console.print(([""] + sql).joined(separator: "\n")) }
    }
    return obstacles
  }

  private func header(_ plan: MigrationPlan, _ document: Document) -> [String] {
    let name = onOneLine(document.version)
    if plan.isUpToDate { return ["\(onOneLine(store)): has the model \(name) already"] }
    let text = MigrationText(plan: plan)
    let own = document.ownVersion.map { "version \(onOneLine($0))" } ?? "its own model"
    return [Terminal.output.styled("\(onOneLine(store)): \(own) → \(name)", .bold)]
      + text.changes.map { "  \($0)" } + (mappings.isEmpty ? text.removals.map { "  \($0)" } : [])
      + (text.note.map { ["  \($0)"] } ?? [])
  }

  private func print(_ mappings: [MappingDocument]) throws {
    guard !json, !mappings.isEmpty else { return }
    try Console.print(mappings.flatMap(\.lines).map(onOneLine).joined(separator: "\n"))
  }
}
