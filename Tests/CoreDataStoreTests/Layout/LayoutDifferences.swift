import Foundation
import ManagedModel
import SQLite
import TestSupport

@testable import CoreDataStore

/// Why a definition of a real store is not, letter for letter, the one that a new store of its model gets.
enum LayoutDifference: String, CaseIterable, Sendable {
  // What no model determines; the rule that is taken is said where it lives.
  /// CD-2.2, CD-3.2: the order of `Z_FOK_` columns, and of virtual keys, among themselves. See ``LayoutBuilder/layOutTables()``.
  case orderColumns
  /// CD-3.3: which of two relationships within one entity names the join table. See `LayoutBuilder.isMaster(_:over:)`.
  case joinMaster
  /// CD-3.3: which of two equal column names of join tables gets the suffix. See `LayoutBuilder.ownColumnNames(_:)`.
  case joinSuffix

  // What a migration leaves (CD-9): a store with one of these was migrated.
  /// The table was rebuilt or renamed: its name stands in quotation marks.
  case quotedName
  /// Columns that came later stand at the end, or behind a space before the comma; before them all is as predicted.
  case appendedColumns
  /// An index that kept its name when entities were numbered anew, or that stayed beside its successor.
  case formerName
  /// An index that a former version of the model asked for.
  case formerIndex
  /// Objects of the schema were made anew after others that they stand before in a new store.
  case createdLater

  // What older frameworks did.
  /// CD-1.4: before 2013 no model was kept.
  case noModelCache
  /// CD-4: before 2017 “indexed” attributes and compound indexes had indexes of these names.
  case indexedAttribute
  /// Before 2012 (versions 241 and 386): columns of one type in no order.
  case unsortedColumns
  /// Before 2012: the bookkeeping tables first, or each table's indexes directly behind it.
  case formerCreation
  /// CD-1.1: the order of one entity's join tables, and of their indexes, where a store of 2015 has another one, or a migration
  /// left that of a former model. See ``LayoutBuilder/layOutJoinTables()``.
  case joinOrder
  /// CD-4: of version 977, a space more before a relationship in a partial index's condition.
  case formerSpacing

  // What the program did.
  /// The application made an index of its own, by SQL.
  case ownIndex
  /// The application dropped an index, in favour of one of its own.
  case droppedIndex
  /// Indexes by user info of a relationship (`NSRelationshipDescriptionOrderKeyIndexOption`), which no new store gets: the
  /// independent checker takes them for foreign.
  case orderKeyIndex
  /// CD-7: the program did not ask for history; a new store of ours always has it, as SwiftData's do.
  case noHistory

  /// None of these: a difference that nobody has explained. In no row of the table.
  case unexplained
}

/// The definitions of a real store beside those of a new one of the same model.
struct LayoutComparison {
  private let layout: StoreLayout
  private let isOld: Bool
  private let ours: [Catalogue.Definition]
  private let theirs: [Catalogue.Definition]
  private let ourTexts: [String: String]
  private let ourBodies: Set<String>
  private let theirTexts: [String: String]
  private(set) var differences: [LayoutDifference: [String]] = [:]

  /// - Parameter framework: the version that set the real store up; what old ones did is expected of them only.
  init(model: ModelDescription, theirs: Catalogue, framework: Int) throws {
    isOld = framework < 400
    let fresh = try TemporaryStore()
    let store = try PersistentStore.open(at: fresh.url, model: model)
    layout = store.layout
    func written(_ catalogue: Catalogue) -> [Catalogue.Definition] {
      catalogue.definitions.filter { $0.sql != nil && !$0.name.hasPrefix("sqlite_") }
    }
    ours = written(try store.read { try Catalogue($0) })
    self.theirs = written(theirs)
    store.close()
    func texts(_ definitions: [Catalogue.Definition]) -> [String: String] {
      Dictionary(definitions.map { ($0.name, $0.sql ?? "") }, uniquingKeysWith: { first, _ in first })
    }
    ourTexts = texts(ours)
    ourBodies = Set(ourTexts.values.map(Self.body))
    theirTexts = texts(self.theirs)
    compareTexts()
    compareOrder()
  }

  /// What differs and where, as the table has it: the names, or of many their number, the first and the last.
  var lines: [String] {
    if differences.isEmpty { return ["exact"] }
    let sorted = differences.sorted { $0.key.rawValue < $1.key.rawValue }
    return sorted.flatMap { difference, names in
      var lines = [difference.rawValue + ":"]
      let words = names.count <= 12 ? names : ["\(names.count),", names[0], "…", names[names.count - 1]]
      for word in words {
        if lines[lines.count - 1].count + word.count > 100 { lines.append("   ") }
        lines[lines.count - 1] += " " + word
      }
      return lines
    }
  }

  /// Whether anything shows that the store was migrated; a store that was may be without a trace of it.
  var isMigrated: Bool {
    !differences.keys.filter {
      [.quotedName, .appendedColumns, .formerName, .formerIndex, .createdLater].contains($0)
    }.isEmpty
  }

  private mutating func add(_ difference: LayoutDifference, _ name: String) {
    differences[difference, default: []].append(name)
  }

  private mutating func compareTexts() {
    for definition in theirs {
      let sql = definition.sql ?? ""
      if let our = ourTexts[definition.name] {
        if our != sql { add(difference(definition, our), definition.name) }
      } else {
        add(surplus(definition), definition.name)
      }
    }
    let history = Set(layout.historyDefinitions)
    let hasHistory = theirs.contains { history.contains($0.sql ?? "") }
    if !hasHistory { add(.noHistory, HistoryTables.change.name) }
    for definition in ours where theirTexts[definition.name] == nil {
      if hasHistory || !history.contains(definition.sql ?? "") { add(missing(definition), definition.name) }
    }
  }

  // MARK: One definition in two forms

  private func difference(_ definition: Catalogue.Definition, _ our: String) -> LayoutDifference {
    let plain = Self.plain(definition)
    if plain == our { return .quotedName }
    if definition.kind == "index" {
      if plain.replacingOccurrences(of: "WHERE  ", with: "WHERE ") == our { return .formerSpacing }
      return isOfOtherMaster(definition) ? .joinMaster : .unexplained
    }
    guard definition.kind == "table" else { return .unexplained }
    let (ourColumns, theirColumns) = (Self.columns(our), Self.columns(plain))
    if Self.isJoinTable(definition.name) {
      let bare = { (columns: [String]) in columns.map { $0.replacing(#/\d+(?= INTEGER|,|$)/#, with: "") } }
      return bare(ourColumns) == bare(theirColumns) ? .joinSuffix : .unexplained
    }
    if ourColumns.count <= theirColumns.count, theirColumns.starts(with: ourColumns) {
      let isTombstone = theirColumns.dropFirst(ourColumns.count).allSatisfy { $0.hasPrefix("ZTOMBSTONE") }
      return isTombstone ? .appendedColumns : .unexplained
    }
    guard Set(theirColumns) == Set(ourColumns), theirColumns.count == ourColumns.count else { return .unexplained }
    if ourColumns.filter(isDetermined) == theirColumns.filter(isDetermined) { return .orderColumns }
    if isOld, ourColumns.map(Self.type) == theirColumns.map(Self.type) { return .unsortedColumns }
    return isOrderedPrefix(theirColumns, of: ourColumns) ? .appendedColumns : .unexplained
  }

  private static func type(_ column: String) -> Substring? { column.split(separator: " ").last }

  /// Whether an index is of a join table that only one of the two has.
  private func isOfOtherMaster(_ index: Catalogue.Definition) -> Bool {
    Self.isJoinTable(index.table) && (ourTexts[index.table] == nil) != (theirTexts[index.table] == nil)
  }

  private static func plain(_ definition: Catalogue.Definition) -> String {
    (definition.sql ?? "").replacingOccurrences(of: "\"", with: "")
  }

  private static func isJoinTable(_ name: String) -> Bool { name.prefixMatch(of: #/Z_\d+[^\d]/#) != nil }

  /// Whether a column's place among the others follows from the model.
  private func isDetermined(_ column: String) -> Bool {
    !column.hasPrefix("Z_FOK_") && column.prefixMatch(of: /Z\d+[^_\d]/) == nil
  }

  /// Whether what is in order is a beginning, of at least the object's own three columns.
  private func isOrderedPrefix(_ columns: [String], of planned: [String]) -> Bool {
    let positions = columns.filter(isDetermined).compactMap { planned.firstIndex(of: $0) }
    let count = zip(positions, positions.dropFirst()).prefix { $0 < $1 }.count + 1
    return count >= 3 && count < positions.count
  }

  /// What stands between a table's parentheses, by commas on the first level.
  static func columns(_ sql: String) -> [String] {
    guard let start = sql.firstIndex(of: "("), let end = sql.lastIndex(of: ")") else { return [] }
    var parts = [""]
    var depth = 0
    for character in sql[sql.index(after: start)..<end] {
      if character == "(" { depth += 1 }
      if character == ")" { depth -= 1 }
      if character == ",", depth == 0 { parts.append("") } else { parts[parts.count - 1].append(character) }
    }
    return parts.map { $0.trimmingCharacters(in: .whitespaces) }
  }

  // MARK: A definition that only the real store has

  private func surplus(_ definition: Catalogue.Definition) -> LayoutDifference {
    switch definition.kind {
    case "table" where Self.isJoinTable(definition.name):
      return pairedTable(definition, in: ours) ? .joinMaster : .unexplained
    case "index":
      let sql = Self.plain(definition)
      if definition.name.hasPrefix("RADAR_") { return .ownIndex }
      if ourBodies.contains(Self.body(sql)) { return .formerName }
      if isOfOtherMaster(definition) { return .joinMaster }
      if Self.isJoinTable(definition.table) {
        let isAskedFor = sql.contains("Z_FOK_") && hasUserInfo("NSRelationshipDescriptionOrderKeyIndexOption")
        return isAskedFor ? .orderKeyIndex : .unexplained
      }
      if indexedNames.contains(definition.name) { return .indexedAttribute }
      return isNamedLikeFetchIndex(definition) ? .formerIndex : .unexplained
    default: return .unexplained
    }
  }

  private func isNamedLikeFetchIndex(_ index: Catalogue.Definition) -> Bool {
    layout.entities.contains { $0.table.name == index.table && index.name.hasPrefix("Z_\($0.name)_") }
  }

  /// Everything of an index but its name.
  private static func body(_ sql: String) -> String {
    guard let word = sql.range(of: "INDEX "), let end = sql[word.upperBound...].firstIndex(of: " ") else { return sql }
    return String(sql[..<word.upperBound] + sql[sql.index(after: end)...])
  }

  /// Names of indexes as the “indexed” flag and compound indexes made them.
  private var indexedNames: Set<String> {
    var names: Set<String> = []
    for entity in layout.entities {
      for case .attribute(let attribute) in entity.properties where attribute.description.isIndexed {
        for column in attribute.columns { names.insert("\(entity.table.name)_\(column.name.name)_INDEX") }
      }
      for properties in entity.description.compoundIndexes {
        let columns = properties.map { entity.column(ofPath: $0)?.name ?? "Z\($0.uppercased())" }
        names.insert(([entity.table.name] + columns).joined(separator: "_"))
      }
    }
    return names
  }

  private func hasUserInfo(_ key: String) -> Bool {
    layout.model.entities.contains { entity in
      entity.properties.contains { property in
        switch property {
        case .attribute(let attribute): attribute.userInfo[key] != nil
        case .relationship(let relationship): relationship.userInfo[key] != nil
        case .fetchedProperty: false
        }
      }
    }
  }

  // MARK: A definition that only the new store has

  private func missing(_ definition: Catalogue.Definition) -> LayoutDifference {
    if definition.name == "Z_MODELCACHE" { return .noModelCache }
    switch definition.kind {
    case "table" where Self.isJoinTable(definition.name):
      return pairedTable(definition, in: theirs) ? .joinMaster : .unexplained
    case "index":
      if theirs.contains(where: { Self.body(Self.plain($0)) == Self.body(definition.sql ?? "") }) { return .formerName }
      if isOfOtherMaster(definition) { return .joinMaster }
      let isIndexedOtherwise = theirs.contains {
        $0.kind == "index" && $0.table == definition.table && $0.sql?.contains("Z_ENT ") == true
      }
      return definition.name.hasSuffix("_Z_ENT_INDEX") && isIndexedOtherwise ? .droppedIndex : .unexplained
    default: return .unexplained
    }
  }

  /// Whether one of the others is a join table of the same two columns, that only one side has.
  private func pairedTable(_ table: Catalogue.Definition, in others: [Catalogue.Definition]) -> Bool {
    let columns = Set(Self.columns(Self.plain(table)).prefix(2))
    return others.contains { other in
      other.kind == "table" && other.name != table.name && Self.isJoinTable(other.name)
        && (ourTexts[other.name] == nil || theirTexts[other.name] == nil)
        && Set(Self.columns(Self.plain(other)).prefix(2)) == columns
    }
  }

  // MARK: Order

  /// What stands elsewhere among the definitions that both have.
  private mutating func compareOrder() {
    var slots: [String: (place: Int, slot: Int)] = [:]
    var last = ""
    var slot = 0
    for (place, definition) in ours.enumerated() {
      let key = Self.slotKey(definition)
      if key != last { slot += 1 }
      last = key
      slots[definition.name] = (place, slot)
    }
    var reached = (place: -1, slot: -1)
    for definition in theirs {
      guard let here = slots[definition.name] else { continue }
      if here.slot < reached.slot {
        add(isOld ? .formerCreation : .createdLater, definition.name)
      } else if here.slot == reached.slot, here.place < reached.place {
        add(.joinOrder, definition.name)
      } else {
        reached = here
      }
    }
  }

  /// What has no order of its own shares a slot: the join tables of one entity, its indexes of one kind, its counts.
  private static func slotKey(_ definition: Catalogue.Definition) -> String {
    if let number = definition.table.prefixMatch(of: #/Z_\d+/#) { return "\(definition.kind) \(number.output)" }
    if definition.kind == "trigger", definition.name.hasPrefix("ZT_") {
      return definition.name.split(separator: "_").prefix(2).joined(separator: "_")
    }
    guard definition.kind == "index" else { return definition.name }
    // Z_<entity>_… of fetch indexes and uniqueness constraints; <table>_… of keys.
    let isUnique = definition.sql?.hasPrefix("CREATE UNIQUE") == true
    return definition.name.split(separator: "_").prefix(2).joined(separator: "_") + (isUnique ? " unique" : "")
  }
}
