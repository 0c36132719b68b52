import ErrorReporting
import ManagedModel

/// Makes a model of a catalogue: an entity of each table with a key, a many-to-many relationship of each table of pairs.
///
/// Equal catalogues give equal models. ``notes`` has each part of the catalogue that the model lacks.
struct ModelBuilder {
  let catalogue: Catalogue
  private(set) var notes: [DatabaseNote] = []
  var drafts: [EntityDraft] = []
  /// The position of a table's entity, by the table's identifier.
  var positions: [Int64: Int] = [:]

  init(_ catalogue: Catalogue) { self.catalogue = catalogue }

  mutating func build() -> ModelDescription {
    let pairs = chooseTables()
    for position in drafts.indices { addAttributes(to: position) }
    var links: [Link] = []
    for position in drafts.indices { links += self.links(from: position) }
    for link in links { add(link) }
    for table in pairs {
      addPairs(of: table)
      noteKeys(ofPairs: table)
      noteChecks(of: table)
    }
    for position in drafts.indices {
      addUniquenessConstraints(to: position)
      addIndexes(to: position)
      noteChecks(of: drafts[position].table)
    }
    sortNotes()
    notes.append(
      DatabaseNote(
        severity: .warning, table: nil, column: nil,
        problem:
          "the classes describe these tables, but no store opens them as they are: a store makes its own tables, with keys "
          + "(_id) and versions of rows (_version) that it gives out, and records of itself (_store)",
        remedy: "open the classes with another databaseSchema, and copy the rows into it"))
    return ModelDescription(entities: drafts.map(\.entity))
  }

  mutating func note(
    _ severity: DatabaseNote.Severity, _ table: Catalogue.Table, column: String? = nil, _ problem: String,
    remedy: String? = nil
  ) {
    notes.append(
      DatabaseNote(severity: severity, table: table.name, column: column, problem: problem, remedy: remedy))
  }

  /// Puts the notes into the order of the tables.
  private mutating func sortNotes() {
    let order = Dictionary(catalogue.tables.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    let ranked = notes.enumerated().map { (rank: $1.table.flatMap { order[$0] } ?? 0, place: $0, note: $1) }
    notes = ranked.sorted { ($0.rank, $0.place) < ($1.rank, $1.place) }.map(\.note)
  }

  // MARK: Tables

  /// Makes an empty draft of each table with a key, and returns the tables of pairs.
  private mutating func chooseTables() -> [Catalogue.Table] {
    var chosen: [Catalogue.Table] = []
    var pairs: [Catalogue.Table] = []
    let referenced = Set(catalogue.tables.flatMap(\.foreignKeys).map(\.destination))
    for table in catalogue.tables {
      switch table.kind {
      case .view, .materializedView: note(.warning, table, "it is a view, and left out")
      case .foreign: note(.warning, table, "its rows are on another server, and it is left out")
      case .table, .partitioned:
        if table.pair != nil, !referenced.contains(table.identifier) {
          pairs.append(table)
        } else if table.hasKey {
          chosen.append(table)
        } else {
          note(
            .warning, table, "it has no key that tells its rows apart, and is left out",
            remedy: "give it a primary key, or declare its class by hand")
        }
      }
      if table.inherits { note(.note, table, "it inherits from another table; its class does not") }
    }
    let identifiers = Set(chosen.map(\.identifier))
    for table in pairs where !canPair(table, identifiers) { chosen.append(table) }
    let spelled = Set(catalogue.tables.map(\.name))
    var names = NameClaims()
    for table in chosen.sorted(by: { Array($0.name.utf8).lexicographicallyPrecedes(Array($1.name.utf8)) }) {
      let name = ModelNames.entity(table.name)
      positions[table.identifier] = drafts.count
      // A name as spelled is another table's own.
      drafts.append(EntityDraft(table: table, name: names.claim(spelled.contains(name) ? table.name : name)))
    }
    return pairs.filter { canPair($0, identifiers) }
  }

  /// Whether both tables that a table of pairs refers to have entities.
  private func canPair(_ table: Catalogue.Table, _ entities: Set<Int64>) -> Bool {
    guard let pair = table.pair else { return false }
    return entities.contains(pair.own.destination) && entities.contains(pair.other.destination)
  }
}
