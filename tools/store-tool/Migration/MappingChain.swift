import CoreDataStore
import ErrorReporting
import Foundation
import ManagedModel
import StoreRequests
import ToolConsole
import ToolModels

/// Mapping models that are carried out one after the other, each on the result of the one before.
struct MappingChain {
  /// A mapping model with the versions that it fits; `nil` if only its own copies of the models do.
  private struct Step {
    let mapping: MappingModel
    let source: ModelDescription?
    let destination: ModelDescription?
  }

  private let steps: [Step]
  private let skipsPolicies: Bool

  var isEmpty: Bool { steps.isEmpty }

  /// - Parameters:
  ///   - paths: mapping models, source or compiled, in the order of the migration.
  ///   - file: the bundle whose versions they connect.
  ///   - skipsPolicies: whether parts that need a program's own code are left out.
  /// - Throws: ``Failure``
  init(_ paths: [String], of file: ModelFile, skipsPolicies: Bool) throws {
    self.skipsPolicies = skipsPolicies
    steps = try paths.map { path in
      let (mapping, diagnostics) = try MappingFile.read(URL(fileURLWithPath: path))
      Console.report(diagnostics)
      var best: (fit: MappingModel.Fit, source: ModelDescription, destination: ModelDescription)?
      for source in file.versions {
        for destination in file.versions {
          let sides = ((source.name, source.model), (destination.name, destination.model))
          guard let fit = mapping.fit(from: sides.0, to: sides.1), best.map({ fit > $0.fit }) ?? true else { continue }
          best = (fit, source.model, destination.model)
        }
      }
      return Step(mapping: mapping, source: best?.source, destination: best?.destination)
    }
  }

  /// The model after the last mapping; `nil` if it is not known.
  var destination: ModelDescription? { steps.last.flatMap { $0.destination ?? $0.mapping.destination.model } }

  /// Carries out the mapping models on a store that nobody else uses.
  ///
  /// - Throws: ``Failure`` with the mapping model's problem; `MigrationError`, `StoreError`.
  func carryOut(on url: URL, of store: URL) throws -> [MappingDocument] {
    try steps.map { step in
      try Interruption.shared.check()
      do {
        let report = try PersistentStore.migrateCopy(
          at: url, by: step.mapping, from: step.source, to: step.destination, skipsPolicies: skipsPolicies)
        return MappingDocument(step.mapping.name, report)
      } catch let error as MappingMigrationError {
        throw Failure(store, line: nil, error)
      } catch let error as MappingIssue {
        throw Failure(store, line: nil, error)
      }
    }
  }
}

/// The result of a mapping model in the JSON output.
struct MappingDocument: Encodable {
  struct Rows: Encodable {
    let entityMapping: String
    let rows: Int
  }

  let name: String
  let entityMappings: [Rows]
  /// Rows by entity that no entity mapping took, and that are gone.
  let rowsLeftBehind: [String: Int]
  /// Transactions of the history, which are gone.
  let transactionsLeftBehind: Int
  /// Tables of other programs, which are gone.
  let tablesLeftBehind: [String]
  /// Parts that need a program's own code, and were left out.
  let omissions: [String]

  init(_ name: String, _ report: MappingMigrationReport) {
    self.name = name
    entityMappings = report.rowCounts.map { Rows(entityMapping: $0.entityMapping, rows: $0.count) }
    rowsLeftBehind = report.rowsLeftBehind
    transactionsLeftBehind = report.transactionsLeftBehind
    tablesLeftBehind = report.tablesLeftBehind
    omissions = report.omissions
  }

  var lines: [String] {
    ["mapping model \(quoted(name)):"]
      + entityMappings.map { "  \(quoted($0.entityMapping)): \(counted($0.rows, "row"))" }
      + rowsLeftBehind.sorted { $0.key < $1.key }.map {
        "  left behind: \(counted($0.value, "row")) of entity \(quoted($0.key)), which no mapping takes"
      }
      + (transactionsLeftBehind == 0
        ? [] : ["  left behind: the history of \(counted(transactionsLeftBehind, "save"))"])
      + tablesLeftBehind.map { "  left behind: the table \(quoted($0)) of another program" }
      + omissions.map { "  left out: \(onOneLine($0))" }
  }
}
