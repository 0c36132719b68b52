import CSQLite
import CoreDataStore
import Foundation
import ManagedModel
import SQLite
import StoreRequests

/// Migrations of a store of many books: by inferred changes, and by a mapping model.
struct MigrationContestant {
  let template: URL
  let place: URL

  /// A renamed attribute of a narrower type, one that becomes mandatory, a new one with a default, and a new entity, which renumbers the
  /// others.
  static let later: ModelDescription = {
    var model = BookModel.model
    model.entities.append(
      EntityDescription(
        name: "Award", properties: [.attribute(AttributeDescription(name: "name", type: .string, isOptional: true))]))
    model.entities[1].properties = model.entities[1].properties.map { property in
      guard case .attribute(var attribute) = property else { return property }
      if attribute.name == "pages" {
        (attribute.name, attribute.renamingIdentifier, attribute.type) = ("pageCount", "pages", .integer32)
      }
      if attribute.name == "subtitle" { (attribute.isOptional, attribute.defaultValue) = (false, .string("")) }
      return .attribute(attribute)
    }
    model.entities[1].properties.append(
      .attribute(AttributeDescription(name: "language", type: .string, defaultValue: .string("bg"))))
    return model
  }()

  /// The mapping model of two entities whose books become works, with computed values and both sides of the relationship.
  static let (works, mapping): (ModelDescription, MappingModel) = {
    var works = BookModel.model
    works.entities[1].name = "Work"
    works.entities[1].properties = works.entities[1].properties.filter { $0.name != "subtitle" }
    works.entities[0].properties = works.entities[0].properties.map { property in
      guard case .relationship(var relationship) = property else { return property }
      (relationship.destinationEntityName, relationship.inverseEntityName) = ("Work", "Work")
      return .relationship(relationship)
    }
    func attributes(_ names: String...) -> [PropertyMapping] {
      names.map {
        PropertyMapping(name: $0, value: .expression(.keyPath(of: .variable("source"), $0)))
      }
    }
    let doubled = ExpressionTree.function(
      "multiply:by:", [.keyPath(of: .variable("source"), "price"), .integer(2)])
    let mapping = MappingModel(
      name: "Works",
      entityMappings: [
        EntityMapping(
          name: "Authors", sourceEntityName: "Author", destinationEntityName: "Author",
          attributeMappings: attributes("name")),
        EntityMapping(
          name: "Works", sourceEntityName: "Book", destinationEntityName: "Work",
          attributeMappings: attributes("added", "identifier", "pages", "title")
            + [PropertyMapping(name: "price", value: .expression(doubled))],
          relationshipMappings: [
            PropertyMapping(
              name: "author",
              value: .expression(
                .function(
                  "FUNCTION",
                  [
                    .variable("manager"), .string("destinationInstancesForSourceRelationshipNamed:sourceInstances:"),
                    .string("author"), .keyPath(of: .variable("source"), "author"),
                  ])))
          ]),
      ])
    return (works, mapping)
  }()

  /// A store of authors and books, written by SQL.
  func make(rows: Int) throws {
    try StoreContestant(url: template).create()
    try bare(
      [
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
        INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZADDED, ZIDENTIFIER, ZPAGES, ZPRICE, ZSUBTITLE, ZTITLE, ZAUTHOR)
        SELECT i, (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'), 1, 700000000.25 + i, randomblob(16), i % 900,
          i % 5000 / 100.0, CASE WHEN i % 3 THEN 'A subtitle of some length, number ' || i % 1000 END,
          'The book with the number ' || i, i % \(BookModel.authorCount) + 1 FROM n
        """, "UPDATE Z_PRIMARYKEY SET Z_MAX = \(rows) WHERE Z_NAME = 'Book'",
      ], on: template)
  }

  /// Puts a fresh copy of the old store into the place.
  func reset() throws {
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: place.path + suffix) }
    try FileManager.default.copyItem(at: template, to: place)
  }

  func infer() throws { try PersistentStore.migrate(at: place, through: [Self.later]) }

  /// The statements of the inferred migration, by SQLite's own interface in one transaction.
  func runPlan(_ statements: [String]) throws {
    try bare(
      ["PRAGMA synchronous = NORMAL", "PRAGMA legacy_alter_table = ON", "BEGIN IMMEDIATE"] + statements + ["COMMIT"])
  }

  func plan() throws -> [String] {
    try PersistentStore.migrationPlan(at: template, to: Self.later).steps.compactMap { step in
      switch step {
      case .check(let sql, _), .run(let sql), .attempt(let sql): sql
      case .merge: nil
      }
    }
  }

  func map() throws {
    try PersistentStore.migrate(at: place, by: Self.mapping, from: BookModel.model, to: Self.works)
  }

  /// What somebody would write in place of the mapping model: the rows of an attached store, put into an empty one.
  func mapByHand() throws {
    let new = place.appendingPathExtension("new")
    defer { for suffix in ["", "-wal", "-shm"] { unlink(new.path + suffix) } }
    try PersistentStore.open(at: new, model: Self.works).close()
    try bare(
      [
        "ATTACH '\(new.path)' AS new", "PRAGMA new.synchronous = NORMAL", "BEGIN IMMEDIATE",
        "INSERT INTO new.ZAUTHOR (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT Z_PK, 1, 1, ZNAME FROM main.ZAUTHOR",
        "INSERT INTO new.ZWORK (Z_PK, Z_ENT, Z_OPT, ZADDED, ZIDENTIFIER, ZPAGES, ZPRICE, ZTITLE, ZAUTHOR) "
          + "SELECT Z_PK, 2, 1, ZADDED, ZIDENTIFIER, ZPAGES, ZPRICE * 2, ZTITLE, ZAUTHOR FROM main.ZBOOK",
        "UPDATE new.Z_PRIMARYKEY SET Z_MAX = (SELECT max(Z_PK) FROM new.ZWORK) WHERE Z_NAME = 'Work'", "COMMIT",
      ])
    for suffix in ["-wal", "-shm"] { unlink(place.path + suffix) }
    guard rename(new.path, place.path) == 0 else { throw BareSQLiteContestant.Failure(message: "rename") }
  }

  private func bare(_ statements: [String], on file: URL? = nil) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    guard sqlite3_open_v2((file ?? place).path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK
    else {
      throw BareSQLiteContestant.Failure(message: "cannot open \(place.path)")
    }
    // History's bitmaps, of which this store has none.
    sqlite3_create_function(
      handle, MigrationPlan.bitmapFunction, 2, SQLITE_UTF8, nil, { context, _, _ in sqlite3_result_null(context) }, nil,
      nil
    )
    for sql in statements where sqlite3_exec(handle, sql, nil, nil, nil) != SQLITE_OK {
      throw BareSQLiteContestant.Failure(message: String(cString: sqlite3_errmsg(handle)) + ": " + sql)
    }
  }

  /// A step with a program's own statement, as a stage of SQL has it.
  static var step: MigrationStep {
    MigrationStep(
      later, statementsAfter: ["UPDATE ZBOOK SET ZSUBTITLE = upper(ZTITLE) || ', ' || ZPAGECOUNT WHERE ZSUBTITLE = ''"])
  }

  func stage() throws { try PersistentStore.migrate(at: place, through: [Self.step]) }

  /// The migrations, each with the same work by hand.
  static func contests(rows: Int, in folder: URL) throws -> [Contest] {
    let contestant = MigrationContestant(
      template: folder.appendingPathComponent("old-\(rows).sqlite"),
      place: folder.appendingPathComponent("migrated-\(rows).sqlite"))
    try contestant.make(rows: rows)
    let plan = try contestant.plan()
    let shapes = ShapeContestant(
      template: folder.appendingPathComponent("shapes-\(rows).sqlite"),
      place: folder.appendingPathComponent("mapped-\(rows).sqlite"))
    try shapes.make(rows: rows)
    return [
      Contest(
        name: "books, by inferred changes", reset: contestant.reset, ours: contestant.infer,
        byHand: { try contestant.runPlan(plan) }),
      Contest(
        name: "books, by a stage with SQL", reset: contestant.reset, ours: contestant.stage,
        byHand: { try contestant.runPlan(plan + step.statementsAfter) }),
      Contest(
        name: "books, by a mapping model", reset: contestant.reset, ours: contestant.map, byHand: contestant.mapByHand),
      Contest(
        name: "items with links and files, by a mapping model", reset: shapes.reset, ours: shapes.map,
        byHand: shapes.mapByHand),
    ]
  }
}

/// A migration and the same work by hand.
struct Contest {
  let name: String
  /// Puts a fresh copy of the old store into the place.
  let reset: () throws -> Void
  let ours: () throws -> Void
  let byHand: () throws -> Void

  struct Result {
    let ours: Double
    let byHand: Double
    let peak: Int
  }

  func measure(rounds: Int) throws -> Result {
    let times = try Rounds(
      rounds,
      [
        reset,
        {
          try reset()
          try ours()
        },
        {
          try reset()
          try byHand()
        },
      ])
    return Result(
      ours: times.medians[1] - times.medians[0], byHand: times.medians[2] - times.medians[0], peak: times.peaks[1])
  }
}
