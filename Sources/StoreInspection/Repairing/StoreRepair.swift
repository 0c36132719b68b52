import CoreDataStore
package import Foundation
package import ManagedModel
import SQLite

/// A repair of one rule's findings at one table, entity, index or trigger.
///
/// A repair loses no value that a program reads. It sets bookkeeping right and makes missing definitions. It changes a row only if programs
/// read the same value before and after.
package struct StoreRepair: Sendable, Hashable {
  package let rule: CheckRule
  package let subject: String
  /// The repair in words.
  package let words: String
  /// The number of rows that were changed; `nil` for a definition.
  package let rowCount: Int64?
  /// The reason why the repair was not made; `nil` if it was.
  package let failure: String?

  /// Repairs a store that is in no other use, in one transaction.
  ///
  /// Reads the findings first, and repairs only rules with errors or warnings. A repair may show further damage. So the store is checked
  /// again inside the transaction, until nothing is left to repair. Cost: two checks, and a scan of each table with findings.
  /// - Parameters:
  ///   - candidates: versions of the model for a store without one, the newest last. The one that fits is written into a store whose
  ///     own model is lost.
  ///   - poll: called before each part of a check and each repair; its error ends them.
  /// - Returns: the repairs that changed something, and those that failed.
  /// - Throws: ``StoreError``, also if the file's trees are damaged; the error of `poll`. The store is then as it was.
  package static func repair(
    _ url: URL, candidates: [ModelDescription] = [], poll: @escaping () throws -> Void = {}
  ) throws -> [StoreRepair] {
    let report = try StoreChecker.report(url, candidates: candidates, poll: poll)
    guard let (store, isGiven) = try openForRepair(url, report, candidates) else { return [] }
    defer { store.close() }
    return try store.write { connection in
      var (repairs, findings) = ([StoreRepair](), report.findings.filter { $0.severity != .note })
      for _ in 0..<roundLimit {
        var planner = RepairPlanner(
          layout: store.layout, catalogue: try Catalogue(connection), findings: findings, isModelGiven: isGiven)
        let made = try planner.steps().compactMap { step in
          try poll()
          return try step.made(on: connection)
        }.filter { !repairs.contains($0) }
        repairs += made
        guard made.contains(where: { $0.failure == nil }) else { break }
        findings = try StoreChecker.findings(of: store, in: connection, candidates: candidates, poll: poll)
        guard findings.contains(where: \.isRepairable) else { break }
      }
      return repairs
    }
  }

  /// The most rounds of checks and repairs. Real damage needs two.
  private static let roundLimit = 5

  /// Whether ``repair(_:candidates:poll:)`` would change a store.
  ///
  /// Cost: that of a check. Writes nothing.
  ///
  /// - Parameters: as of ``repair(_:candidates:poll:)``.
  /// - Throws: ``StoreError`` for a store with findings that ``repair(_:candidates:poll:)`` cannot open; the error of `poll`.
  package static func isNeeded(
    _ url: URL, candidates: [ModelDescription] = [], poll: @escaping () throws -> Void = {}
  ) throws -> Bool {
    let report = try StoreChecker.report(url, candidates: candidates, poll: poll)
    guard let (store, _) = try openForRepair(url, report, candidates, isReadOnly: true) else { return false }
    store.close()
    return true
  }

  /// Opens a store with findings that can be repaired; `nil` if only a person can repair it.
  ///
  /// - Throws: ``StoreError``, also if the file's trees are damaged: every other finding may come of that.
  private static func openForRepair(
    _ url: URL, _ report: CheckReport, _ candidates: [ModelDescription], isReadOnly: Bool = false
  ) throws -> (store: PersistentStore, isGiven: Bool)? {
    let groups = report.groups.filter { group in
      CheckRule.repairable.contains(group.rule) && group.findings.contains { $0.severity != .note }
    }
    guard !groups.isEmpty else { return nil }
    if let damage = report.findings.first(where: {
      $0.rule == .integrity && $0.severity != .note && $0.repair == nil
    }) {
      throw StoreError(
        path: url.path,
        SQLiteError(extendedCode: ResultCode.corrupt.rawValue, message: "\(damage.subject): \(damage.problem)"))
    }
    let opened = try open(url, candidates, isReadOnly: isReadOnly)
    // A given model is written into the store. Among the findings that the report leaves out, one may be repairable.
    let isRepairable =
      opened.isGiven || groups.contains { $0.omitted > 0 || $0.findings.contains(where: \.isRepairable) }
    guard isRepairable else {
      opened.store.close()
      return nil
    }
    return opened
  }

  /// Opens a store with its own model, or else with the newest candidate that fits.
  private static func open(
    _ url: URL, _ candidates: [ModelDescription], isReadOnly: Bool
  ) throws -> (store: PersistentStore, isGiven: Bool) {
    let options = StoreOptions(isReadOnly: isReadOnly, createsIfMissing: false)
    do { return (try PersistentStore.open(at: url, options: options), false) } catch let error as StoreError {
      switch error.kind {
      case .noModel, .unreadableModel: break
      default: throw error
      }
      for model in candidates.reversed() {
        if let store = try? PersistentStore.open(at: url, options: options, model: model) { return (store, true) }
      }
      throw error
    }
  }
}

/// A repair that is still to be made.
struct RepairStep {
  let rule: CheckRule
  let subject: String
  let words: String
  /// Makes the repair, and returns the number of changed rows; `nil` for a definition.
  let run: (Connection) throws -> Int64?

  /// Makes the repair, or nothing of it if the rows do not allow it.
  ///
  /// - Returns: `nil` if there was nothing to change.
  func made(on connection: Connection) throws -> StoreRepair? {
    do {
      let count = try connection.savepoint { try run(connection) }
      guard count != 0 else { return nil }
      return StoreRepair(rule: rule, subject: subject, words: words, rowCount: count, failure: nil)
    } catch let error as SQLiteError where !error.comesFromOutside {
      return StoreRepair(rule: rule, subject: subject, words: words, rowCount: nil, failure: error.message)
    }
  }
}
