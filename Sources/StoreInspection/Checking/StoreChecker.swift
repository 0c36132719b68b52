package import CoreDataStore
package import Foundation
package import ManagedModel
import SQLite

/// Checks a store against its own model and the format: bookkeeping, hashes, tables, keys, values, history.
///
/// SQL does the counting, and nothing is written; see ``StoreSnapshot``. A store may be damaged in any way: a part that
/// cannot be read is a finding, and the check continues with the rest. Cost: one scan of the file for its integrity,
/// one or two scans of each table, and one for each key.
package struct StoreChecker {
  let store: StoreSnapshot
  /// Whether traces of migrations, of old frameworks and of applications are errors too, as in a fresh store.
  let isStrict: Bool
  /// Join tables whose columns do not match the relationship. Their rows are not checked.
  var strangeJoinTables: Set<Identifier> = []
  private var groups: [CheckRule: CheckReport.Group] = [:]
  private let poll: () throws -> Void
  /// The error by which ``poll`` has ended the check.
  private var end: (any Error)?

  /// Checks a store.
  ///
  /// - Parameters:
  ///   - candidates: versions of the model for a store without one, the newest last.
  ///   - isStrict: for fresh stores: tolerates only differences that the model does not determine.
  ///   - poll: called before each part of the check; its error ends the check.
  /// - Throws: ``StoreError`` if the file is not a store at all; the error of `poll`.
  package static func report(
    _ url: URL, candidates: [ModelDescription] = [], isStrict: Bool = false, poll: @escaping () throws -> Void = {}
  ) throws -> CheckReport {
    try StoreSnapshot.read(url, candidates: candidates) { store in
      var checker = StoreChecker(store: store, isStrict: isStrict, poll: poll)
      return try checker.run()
    }
  }

  /// The errors alone.
  ///
  /// - Throws: ``StoreError`` if the file is not a store at all.
  package static func check(_ url: URL, model: ModelDescription? = nil) throws -> [CheckFinding] {
    try report(url, candidates: model.map { [$0] } ?? []).errors
  }

  /// Checks an open store, on one state of its data; the errors alone.
  ///
  /// - Throws: ``StoreError``, `SQLiteError`
  package static func check(_ store: PersistentStore) throws -> [CheckFinding] {
    if let url = store.url { return try check(url) }
    return try store.read { connection in
      var checker = StoreChecker(
        store: try StoreSnapshot(connection), isStrict: false)
      return try checker.run().errors
    }
  }

  /// The errors and warnings of a store inside the transaction that repairs it.
  ///
  /// - Parameters:
  ///   - connection: the connection that writes.
  ///   - candidates: versions of the model for a store without one, the newest last.
  ///   - poll: called before each part of the check; its error ends the check.
  static func findings(
    of store: PersistentStore, in connection: Connection, candidates: [ModelDescription],
    poll: @escaping () throws -> Void
  ) throws -> [CheckFinding] {
    let snapshot = try StoreSnapshot(
      connection, url: store.url, externalData: store.externalData, candidates: candidates, validatesTrees: false)
    var checker = StoreChecker(store: snapshot, isStrict: false, poll: poll)
    return try checker.run().findings.filter { $0.severity != .note }
  }

  private init(store: StoreSnapshot, isStrict: Bool, poll: @escaping () throws -> Void = {}) {
    self.store = store
    self.isStrict = isStrict
    self.poll = poll
  }

  /// - Throws: the error of ``poll``.
  private mutating func run() throws -> CheckReport {
    attempt(.integrity) { try $0.checkIntegrity() }
    attempt(.header) { try $0.checkHeader() }
    attempt(.bookkeepingTables) { try $0.checkBookkeepingTables() }
    attempt(.entityNumbers) { try $0.checkNumbers() }
    attempt(.maxima) { try $0.checkMaxima() }
    attempt(.metadata) { $0.checkMetadata() }
    attempt(.hashes) { $0.checkHashes() }
    if let layout = store.model.layout, let planned = store.model.planned {
      attempt(.columns) { $0.checkTables(planned) }
      attempt(.joinTables) { $0.checkJoinTables(layout) }
      attempt(.otherTables) { $0.checkOtherTables(layout) }
      attempt(.creationOrder) { $0.checkCreationOrder(layout) }
      attempt(.otherIndexes) { try $0.checkIndexes(layout) }
      attempt(.triggers) { $0.checkTriggers(layout) }
      attempt(.otherTriggers) { $0.checkOtherTriggers(layout) }
    }
    attempt(.triggerFunctions) { $0.checkTriggerFunctions() }
    attempt(.searchIndexes) { $0.checkSearchTriggers() }
    attempt(.historyTables) { try $0.checkHistoryTables() }
    // A cyclic tree has endless rows.
    if store.treeDamage.isEmpty {
      attempt(.integrity) { try $0.registerFunctions() }
      lookAtRows()
    }
    if let end { throw end }
    if !mayBeRepaired { refuseRepairs() }
    return CheckReport(groups: CheckRule.allCases.map(group))
  }

  /// Whether ``StoreRepair`` can open the store, and would not make damage worse.
  private var mayBeRepaired: Bool {
    store.canBeOpened && groups[.integrity]?.findings.allSatisfy { $0.repair != nil } != false
  }

  private mutating func refuseRepairs() {
    for rule in groups.keys {
      for index in groups[rule]?.findings.indices ?? 0..<0 { groups[rule]?.findings[index].isRepairable = false }
    }
  }

  private mutating func lookAtRows() {
    if let layout = store.model.layout, store.model.planned != nil {
      for entity in layout.entities {
        attempt(.uniqueValues) { try $0.checkUniqueness(of: entity) }
        attempt(.keys) { try $0.checkKeys(of: entity, layout) }
        attempt(.derivedValues) { try $0.checkDerivedValues(of: entity, layout) }
        attempt(.locationRows) { try $0.checkLocationRows(of: entity, layout) }
      }
      for table in layout.joinTables { attempt(.pairs) { try $0.checkPairs(of: table, layout) } }
      for table in layout.tables { attempt(.requiredValues) { try $0.checkValues(of: table, layout) } }
      attempt(.searchIndexes) { try $0.checkSearchIndexes(layout) }
      attempt(.externalFiles) { try $0.checkExternalFiles(layout) }
    }
    attempt(.rowEntities) { try $0.checkRows() }
    attempt(.changes) { try $0.checkHistoryRows() }
    attempt(.bitmaps) { try $0.checkBitmaps() }
    if let layout = store.model.layout {
      attempt(.tombstones) { try $0.checkTombstones(layout) }
      attempt(.lastChanges) { try $0.checkLastChanges(layout) }
    }
  }

  private func group(_ rule: CheckRule) -> CheckReport.Group {
    var group = groups[rule] ?? CheckReport.Group(rule: rule)
    guard group.status == .skipped else { return group }
    guard store.treeDamage.isEmpty || !StoreChecker.rulesOfRows.contains(rule) else {
      group.reason = "rows are not read, as the file is damaged: see integrity"
      return group
    }
    let problem = StoreChecker.rulesWithoutModel.contains(rule) ? nil : store.model.problem
    group.lacksModel = problem != nil
    group.reason = problem ?? rule.absence
    return group
  }

  /// Rules that apply to a store without a known model.
  private static let rulesWithoutModel: Set<CheckRule> = [
    .integrity, .header, .bookkeepingTables, .plainDefinitions, .modelCache, .entityNumbers, .superentities, .maxima,
    .metadata, .digest, .checksum, .rowEntities, .rowVersions, .triggerFunctions, .historyTables, .historyIndexes,
    .historyNumbers, .historyRows, .changes, .transactions, .bitmaps,
  ]

  private static let rulesOfRows: Set<CheckRule> = [
    .uniqueValues, .rowEntities, .rowVersions, .keys, .entityColumnValues, .oneToOne, .orderKeys, .pairs, .pairOrder,
    .booleans, .integers, .reals, .dates, .decimals, .strings, .uris, .uuids, .binaries, .transformables,
    .externalReferences, .externalFiles, .requiredValues, .foreignValues, .derivedValues, .locationRows, .searchIndexes,
    .historyRows,
    .changes, .transactions, .bitmaps, .tombstones, .lastChanges,
  ]

  // MARK: Findings

  /// Runs a part of the check, unless ``poll`` has ended it. An error of the database is a finding.
  mutating func attempt(_ rule: CheckRule, _ part: (inout StoreChecker) throws -> Void) {
    guard end == nil else { return }
    do { try poll() } catch {
      end = error
      return
    }
    do { try part(&self) } catch {
      expect(rule, false, "store", "the check cannot be finished: \(error)")
    }
  }

  /// Counts one checked item, and reports an error if it is wrong.
  ///
  /// - Parameter byHand: whether only a person can make the repair.
  @discardableResult
  mutating func expect(
    _ rule: CheckRule, _ isRight: Bool, _ subject: String, _ problem: String,
    repair: String? = nil, byHand: Bool = false
  ) -> Bool {
    count(rule, checked: 1, failed: isRight ? 0 : 1)
    if !isRight { report(rule, .error, subject, problem, repair: repair, byHand: byHand) }
    return isRight
  }

  /// Counts one checked item. If `isTolerable`, a deviation is tolerated unless the check is strict.
  mutating func prefer(
    _ rule: CheckRule, _ isRight: Bool, isTolerable: @autoclosure () -> Bool = true, _ subject: String,
    _ problem: String, repair: String? = nil, byHand: Bool = false
  ) {
    guard !isRight, !isStrict, isTolerable() else {
      expect(rule, isRight, subject, problem, repair: repair, byHand: byHand)
      return
    }
    count(rule, checked: 1)
    report(rule, .note, subject, problem, repair: repair)
  }

  mutating func count(_ rule: CheckRule, checked: Int, failed: Int = 0) {
    groups[rule, default: CheckReport.Group(rule: rule)].checked += checked
    groups[rule, default: CheckReport.Group(rule: rule)].failed += failed
  }

  mutating func report(
    _ rule: CheckRule, _ severity: CheckFinding.Severity, _ subject: String, _ problem: String, repair: String? = nil,
    byHand: Bool = false
  ) {
    var group = groups[rule] ?? CheckReport.Group(rule: rule)
    if group.findings.count < CheckReport.Group.limit {
      let repair = repair ?? rule.repair
      let isRepairable = severity != .note && repair != nil && !byHand && CheckRule.repairable.contains(rule)
      group.findings.append(
        CheckFinding(
          rule: rule, severity: severity, subject: subject, problem: problem, repair: repair,
          isRepairable: isRepairable))
    } else {
      group.omitted += 1
    }
    groups[rule] = group
  }

  // MARK: Rows

  /// A condition that no row may meet.
  struct RowRule {
    let rule: CheckRule
    var severity: CheckFinding.Severity = .error
    let subject: String
    let problem: String
    /// The rows to check, in SQL.
    var population = "1"
    /// The wrong rows among them, in SQL.
    let violation: String
    var repair: String?
    /// Whether only a person can make the repair.
    var byHand = false

    fileprivate var filter: String { "FILTER (WHERE (\(population)) AND (\(violation)))" }
  }

  /// Counts the rows of a source that break rules, many rules in one scan.
  ///
  /// - Parameter key: the SQL expression that identifies a row.
  mutating func tally(_ rules: [RowRule], from source: String, key: String = "Z_PK") throws {
    // SQLite bounds the columns of a result; this bound is lower.
    for start in stride(from: 0, to: rules.count, by: 60) {
      let part = Array(rules[start..<min(start + 60, rules.count)])
      do {
        // A sound store has no wrong rows, so their number is counted only if there are any.
        let found = try numbers(
          part.map { "count(*) FILTER (WHERE \($0.population))" } + part.map { "min(ifnull(\(key), 0)) \($0.filter)" },
          from: source)
        let (totals, firsts) = (Array(found.prefix(part.count)), Array(found.dropFirst(part.count)))
        let broken = part.indices.filter { firsts[$0] != nil }
        let wrong = broken.isEmpty ? [] : try numbers(broken.map { "count(*) \(part[$0].filter)" }, from: source)
        let counts = Dictionary(uniqueKeysWithValues: zip(broken, wrong.map { $0 ?? 0 }))
        for (position, rule) in part.enumerated() {
          let (total, wrong) = (Int(totals[position] ?? 0), Int(counts[position] ?? 0))
          count(rule.rule, checked: total, failed: rule.severity == .error ? wrong : 0)
          guard wrong > 0 else { continue }
          let name = key.split(separator: ".").last.map(String.init) ?? key
          let first = firsts[position].map { ", first at \(name) \($0)" } ?? ""
          report(
            rule.rule, rule.severity, rule.subject, "\(rule.problem): \(wrong) of \(total)\(first)",
            repair: rule.repair, byHand: rule.byHand)
        }
      } catch let error as SQLiteError {
        for rule in Set(part.map(\.rule)) { expect(rule, false, source, "cannot be read: \(error)") }
      }
    }
  }

  /// The only row of a query; an element is `nil` for NULL.
  private func numbers(_ columns: [String], from source: String) throws -> [Int64?] {
    let row = try store.connection.prepare("SELECT \(columns.joined(separator: ", ")) FROM \(source)")
    guard try row.step() else { return columns.map { _ in nil } }
    return columns.indices.map { row.isNull($0) ? nil : row.integer($0) }
  }

  /// Reports rows with equal values in all of these columns. `NULL` equals nothing.
  mutating func expectDistinct(
    _ rule: CheckRule, _ subject: String, _ columns: [Identifier], in table: Identifier, repair: String? = nil
  ) throws {
    let names = columns.map(\.description)
    try tally(
      [
        RowRule(
          rule: rule, subject: subject, problem: "values that occur more than once", violation: "n > 1", repair: repair)
      ],
      from: """
        (SELECT min(rowid) AS "rowid", count(*) AS n FROM \(table) \
        WHERE \(names.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")) GROUP BY \(names.joined(separator: ", ")))
        """, key: "rowid")
  }

  /// `(1,2,3)`.
  static func list(_ numbers: some Sequence<Int>) -> String {
    "(" + numbers.map(String.init).joined(separator: ",") + ")"
  }
}
