@testable import CoreDataStore
import Foundation
import ManagedModel
import SQLite
import TestSupport

@testable import StoreInspection

/// A kind of damage, and what a check has to say of it.
struct CheckerDamage: Sendable {
  let name: String
  let rule: CheckRule
  var severity: CheckFinding.Severity = .error
  let change: @Sendable (URL) throws -> Void
  /// Facts that our check alone finds broken, and those that the independent one alone does.
  var own: Set<String> = []
  var other: Set<String> = []
  /// The same of checks that tolerate nothing, in addition.
  var strictOwn: Set<String> = []
  var strictOther: Set<String> = []
  /// Why the checks differ.
  var why = ""

  func apply(to url: URL) throws { try change(url) }

  private static func sql(
    _ name: String, _ rule: CheckRule, _ script: String, _ severity: CheckFinding.Severity = .error,
    own: Set<String> = [], other: Set<String> = [],
    strictOwn: Set<String> = [], strictOther: Set<String> = [], why: String = ""
  ) -> CheckerDamage {
    CheckerDamage(
      name: name, rule: rule, severity: severity, change: { try CheckerSampleStore.execute(script, on: $0) }, own: own,
      other: other, strictOwn: strictOwn, strictOther: strictOther, why: why)
  }

  /// A change of the metadata; `nil` takes a key away.
  private static func metadata(
    _ name: String, _ rule: CheckRule, _ key: String, _ value: (any Sendable)?,
    _ severity: CheckFinding.Severity = .error, own: Set<String> = [], other: Set<String> = [],
    strictOwn: Set<String> = [], strictOther: Set<String> = [], why: String = ""
  ) -> CheckerDamage {
    CheckerDamage(
      name: name, rule: rule, severity: severity,
      change: { url in
        let connection = try Connection(path: url.path, mode: .readWrite)
        defer { connection.close() }
        let list = try StoreMetadata(connection).propertyList(setting: [key: value])
        let statement = try connection.prepare("UPDATE Z_METADATA SET Z_PLIST = ?")
        try statement.bind(list, at: 1)
        try statement.run()
      }, own: own, other: other, strictOwn: strictOwn, strictOther: strictOther, why: why)
  }

  /// A change of a search index of genres, which the sample itself does not have.
  private static func search(
    _ name: String, _ script: String, _ severity: CheckFinding.Severity = .error, own: Set<String> = []
  ) -> CheckerDamage {
    CheckerDamage(
      name: name, rule: .searchIndexes, severity: severity,
      change: { url in
        let store = try PersistentStore.open(at: url)
        try store.makeSearchIndex(on: ["name"], of: "Genre")
        store.close()
        try CheckerSampleStore.execute(script, on: url)
      }, own: own, strictOwn: ["CD-8"], why: "the independent check does not read search indexes")
  }

  /// Bytes of the file's header, by their offsets.
  private static func header(
    _ name: String, _ bytes: [Int: UInt8], _ severity: CheckFinding.Severity, own: Set<String> = [],
    other: Set<String> = [], why: String = ""
  ) -> CheckerDamage {
    CheckerDamage(
      name: name, rule: .header, severity: severity,
      change: { url in
        var data = try Data(contentsOf: url)
        for (offset, byte) in bytes { data[offset] = byte }
        try data.write(to: url)
      }, own: own, other: other, why: why)
  }

  /// Another definition for a thing, as a hand or an old framework might have written it.
  private static func definition(_ name: String, _ old: String, _ new: String) -> @Sendable (URL) throws -> Void {
    { url in
      let script = """
        import sqlite3, sys
        c = sqlite3.connect(sys.argv[1])
        c.execute("PRAGMA writable_schema = ON")
        n = c.execute("UPDATE sqlite_master SET sql = replace(sql, ?, ?) WHERE name = ? AND instr(sql, ?)",
          (sys.argv[3], sys.argv[4], sys.argv[2], sys.argv[3])).rowcount
        assert n == 1, n
        c.commit()
        """
      let report = try Oracle.run(script: script, [url.path, name, old, new])
      guard report.status == 0 else { throw CheckerDamageError(output: report.output) }
    }
  }

  static let all: [CheckerDamage] =
    bookkeeping + metadata + tables + indexes + rows + values + history

  private static let bookkeeping: [CheckerDamage] = [
    sql("another number of an entity", .entityNumbers, "UPDATE Z_PRIMARYKEY SET Z_ENT = 9 WHERE Z_ENT = 8"),
    sql("another name of an entity", .entityNumbers, "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Kind' WHERE Z_ENT = 4"),
    sql("no row of an entity", .entityNumbers, "DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Genre'"),
    sql("no row of a root", .entityNumbers, "DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'"),
    sql("an entity too many", .entityNumbers, "INSERT INTO Z_PRIMARYKEY VALUES (9, 'Zebra', 0, 0)"),
    sql(
      "an absurd number", .entityNumbers, "UPDATE Z_PRIMARYKEY SET Z_ENT = -9223372036854775808 WHERE Z_ENT = 8",
      other: ["CD-3.1", "CD-6"], why: "a number that no entity can have is not taken for the number of its rows"),
    sql("another superentity", .superentities, "UPDATE Z_PRIMARYKEY SET Z_SUPER = 4 WHERE Z_ENT = 2"),
    sql("a maximum too low", .maxima, "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Book'"),
    sql("a maximum that is text", .maxima, "UPDATE Z_PRIMARYKEY SET Z_MAX = 'many' WHERE Z_NAME = 'Book'"),
    sql(
      "a maximum that leaves no keys", .maxima,
      "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_NAME = 'Book'", own: ["CD-1.2"],
      why: "the independent check asks only that no key exceeds it"),
    sql("a maximum of a subentity", .maxima, "UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_NAME = 'Novel'"),
    sql("a maximum of history too low", .maxima, "UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_NAME = 'CHANGE'"),
    CheckerDamage(
      name: "another text of a bookkeeping table", rule: .bookkeepingTables,
      change: definition("Z_PRIMARYKEY", "Z_NAME VARCHAR", "Z_NAME TEXT")),
    CheckerDamage(
      name: "NOT NULL", rule: .plainDefinitions, change: definition("ZGENRE", "ZNAME VARCHAR", "ZNAME VARCHAR NOT NULL")
    ),
    CheckerDamage(
      name: "CHECK", rule: .plainDefinitions,
      change: definition("ZSHELF", "ZLABEL VARCHAR", "ZLABEL VARCHAR CHECK (ZLABEL <> 'x')"), other: ["CD-2.1"],
      strictOwn: ["CD-2.2"],
      why: "a column's type is what SQLite takes for it, which a CHECK is no part of; the table's text is another"),
    sql("no model", .modelCache, "DELETE FROM Z_MODELCACHE", .warning),
    sql("a model that is none", .modelCache, "UPDATE Z_MODELCACHE SET Z_CONTENT = x'00112233'"),
    sql("two models", .modelCache, "INSERT INTO Z_MODELCACHE SELECT * FROM Z_MODELCACHE"),
    CheckerDamage(
      name: "the model of another store", rule: .hashes,
      change: { url in
        let connection = try Connection(path: url.path, mode: .readWrite)
        defer { connection.close() }
        var model = CheckerSampleStore.model
        model.entities[3].properties[0] = .attribute(AttributeDescription(name: "name", type: .integer64))
        try connection.execute("DELETE FROM Z_MODELCACHE")
        try ModelCache.write(model, to: connection)
      }),
    header("another page format", [18: 1, 19: 1], .note),
    sql("no vacuum", .header, "PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = 0; VACUUM"),
    sql("another user version", .header, "PRAGMA user_version = 7", .note),
    CheckerDamage(
      name: "an index that leads to another row", rule: .integrity,
      change: { url in
        var data = try Data(contentsOf: url)
        let root = try Connection(path: url.path, mode: .readWrite)
        let page = try root.integer("SELECT rootpage FROM sqlite_master WHERE name = 'ZCHAPTER_ZBOOK_INDEX'") ?? 0
        root.close()
        // The last cell of an index page ends with the kind of its row's key; 8 is the key 0.
        data[Int(page) * 4096 - 1] = 8
        try data.write(to: url)
      }),
  ]

  private static let metadata: [CheckerDamage] = [
    sql("a second row", .metadata, "INSERT INTO Z_METADATA (Z_VERSION) VALUES (2)"),
    sql("no row", .metadata, "DELETE FROM Z_METADATA"),
    sql("an identifier in lower case", .metadata, "UPDATE Z_METADATA SET Z_UUID = lower(Z_UUID)"),
    sql("another version", .metadata, "UPDATE Z_METADATA SET Z_VERSION = 3"),
    sql("a property list that is none", .metadata, "UPDATE Z_METADATA SET Z_PLIST = x'62706C697374303000'"),
    sql(
      "no property list", .metadata, "UPDATE Z_METADATA SET Z_PLIST = NULL", own: ["CD-1.3"],
      why: "the independent check tolerates it in every store; no program opens such a store"),
    sql(
      "no property list in a store without a model, as those from before 2013", .metadata,
      "DROP TABLE Z_MODELCACHE; UPDATE Z_METADATA SET Z_PLIST = NULL", .warning),
    metadata("another digest", .digest, StoreMetadata.Key.digest, "AAAA"),
    metadata("another checksum", .checksum, StoreMetadata.Key.checksum, "AAAA"),
    metadata("no store type", .metadata, "NSStoreType", nil),
    metadata("no checksum", .metadata, StoreMetadata.Key.checksum, nil, .note),
    metadata("no version of the framework", .metadata, StoreMetadata.Key.frameworkVersion, nil),
    metadata("a vacuum level that is a number", .metadata, StoreMetadata.Key.autoVacuumLevel, 2),
    metadata("version identifiers that are none", .metadata, StoreMetadata.Key.versionIdentifiers, [1, 2]),
    metadata(
      "other version identifiers", .versionIdentifiers, StoreMetadata.Key.versionIdentifiers, ["2.0.0"], .warning),
    metadata(
      "hashes that are too short", .metadata, StoreMetadata.Key.hashes, ["Book": Data([1, 2, 3])],
      other: ["CD-1.2", "CD-2", "CD-2.1", "CD-3.3", "CD-6", "CD-7", "VH-1", "VH-13", "VH-14"],
      strictOther: ["CD-4"],
      why: "the independent check takes their names for those of a configuration; ours takes them for no hashes"),
    metadata(
      "hashes of one more entity", .hashes, StoreMetadata.Key.hashes,
      (try? VersionHashes(CheckerSampleStore.model))?.hashes.merging(["Zebra": Data(count: 32)]) { first, _ in first }),
  ]

  private static let tables: [CheckerDamage] = [
    CheckerDamage(
      name: "another column type", rule: .columns, change: definition("ZGENRE", "ZNAME VARCHAR", "ZNAME BLOB")),
    sql("a missing table", .entityTables, "DROP TABLE ZSLEEVE"),
    sql("a missing column", .columns, "ALTER TABLE ZGENRE DROP COLUMN ZNAME"),
    sql("a missing entity column", .entityColumns, "ALTER TABLE ZCHAPTER DROP COLUMN Z1_BOOK"),
    sql("a missing element of a composite", .compositeColumns, "ALTER TABLE ZBOOK DROP COLUMN ZHEIGHT"),
    sql("a column too many", .columns, "ALTER TABLE ZGENRE ADD COLUMN ZEXTRA VARCHAR"),
    sql(
      "a column at the end, as after a migration", .columnOrder,
      "ALTER TABLE ZCHAPTER DROP COLUMN ZNUMBER; ALTER TABLE ZCHAPTER ADD COLUMN ZNUMBER INTEGER", .note),
    CheckerDamage(
      name: "a quoted name, as after a migration", rule: .columnOrder, severity: .note,
      change: definition("ZGENRE", "TABLE ZGENRE", #"TABLE "ZGENRE""#)),
    sql("a missing join table", .joinTables, "DROP TABLE Z_1GENRES"),
    sql(
      "another column of a join table", .joinTables, "ALTER TABLE Z_1GENRES RENAME COLUMN Z_1BOOKS TO Z_1TOMES",
      other: ["CD-2"], why: "one finding is enough: the table is no foreign one besides"),
    sql(
      "a suffix where none is needed", .joinTables, "ALTER TABLE Z_1GENRES RENAME COLUMN Z_1BOOKS TO Z_1BOOKS1",
      other: ["CD-2"], why: "one finding is enough: the table is no foreign one besides"),
    CheckerDamage(
      name: "a quoted join table", rule: .joinTables, severity: .note,
      change: definition("Z_1GENRES", "TABLE Z_1GENRES", #"TABLE "Z_1GENRES""#)),
    sql("a join table of no relationship", .otherTables, "CREATE TABLE Z_9STRANGE (A)"),
    sql("a table of an application", .otherTables, "CREATE TABLE MINE (A)", .warning),
    CheckerDamage(
      name: "a table of a module that is not here", rule: .otherTables, severity: .warning,
      change: { url in
        try CheckerSampleStore.execute("CREATE VIRTUAL TABLE MINE USING RTREE (Z_PK, A, B)", on: url)
        try definition("MINE", "RTREE", "NOMODULE")(url)
      }),
    sql(
      "a table of readers of the history, of this package", .otherTables,
      "CREATE TABLE OSD_HISTORY_READERS (NAME TEXT NOT NULL PRIMARY KEY, TRANSACTIONID INTEGER NOT NULL)", .note),
    sql(
      "a table of the gap in the history, of this package", .otherTables,
      "CREATE TABLE OSD_HISTORY_GAP (TRANSACTIONID INTEGER NOT NULL)", .note),
    sql(
      "a table of saves over several stores, of this package", .otherTables, "CREATE TABLE OSD_JOINT_SAVES (ID TEXT)",
      .note),
    sql("a table of CloudKit's", .otherTables, "CREATE TABLE ANSCKEVENT (Z_PK INTEGER PRIMARY KEY)", .note),
    sql(
      "a missing function", .triggerFunctions,
      """
      CREATE TRIGGER ZT_OWN AFTER INSERT ON ZGENRE BEGIN SELECT NSCoreDataNobodyKnows(1); END
      """),
    sql(
      "a trigger of an application", .otherTriggers,
      "CREATE TRIGGER MINE AFTER UPDATE ON ZGENRE BEGIN UPDATE ZSHELF SET ZLABEL = NEW.ZNAME; END", .warning,
      strictOwn: ["CD-8"], why: "the independent check looks only for what triggers call"),
    sql(
      "a missing trigger", .triggers, "DROP TRIGGER Z_DA_ZBOOK_Book_chapterCount_SOURCE_INSERT", own: ["CD-8"],
      why: "the independent check does not ask for triggers; without one, derived values become stale"),
    sql(
      "a missing trigger of an R*Tree that agrees with the rows", .triggers, "DROP TRIGGER Z_RT_Book_byPlace_UPDATE",
      .warning, strictOwn: ["CD-8"], why: "the independent check does not ask for triggers; Photos lacks some"),
  ]

  private static let indexes: [CheckerDamage] = [
    sql("a missing index of a key", .keyIndexes, "DROP INDEX ZCHAPTER_ZBOOK_INDEX"),
    sql("a missing index of Z_ENT", .entityIndexes, "DROP INDEX ZMEDIUM_Z_ENT_INDEX"),
    sql("a missing index of a join table", .joinIndexes, "DROP INDEX Z_1GENRES_Z_4GENRES_INDEX"),
    sql("a missing fetch index", .fetchIndexes, "DROP INDEX Z_Book_byTitle"),
    sql("a missing unique index", .uniqueIndexes, "DROP INDEX Z_Book_UNIQUE_code"),
    sql(
      "a fetch index of another order", .fetchIndexes,
      "DROP INDEX Z_Book_byTitle; CREATE INDEX Z_Book_byTitle ON ZBOOK (ZTITLE COLLATE BINARY ASC) WHERE ZPAGES > 10"),
    sql(
      "a fetch index without its condition", .fetchIndexes,
      "DROP INDEX Z_Book_byTitle; CREATE INDEX Z_Book_byTitle ON ZBOOK (ZTITLE COLLATE BINARY DESC)"),
    sql(
      "a fetch index of another condition", .fetchIndexes,
      "DROP INDEX Z_Book_byTitle; CREATE INDEX Z_Book_byTitle ON ZBOOK (ZTITLE COLLATE BINARY DESC) WHERE ZPAGES > 11",
      .note, strictOwn: ["CD-4"], why: "the independent check does not translate conditions"),
    sql(
      "a unique index that is not", .uniqueIndexes,
      "DROP INDEX Z_Book_UNIQUE_code; CREATE INDEX Z_Book_UNIQUE_code ON ZBOOK (ZCODE COLLATE BINARY ASC)"),
    sql("an index of an application", .otherIndexes, "CREATE INDEX RADAR_1 ON ZBOOK (ZTITLE, ZPAGES)", .warning),
    sql("an index that repeats another", .otherIndexes, "CREATE INDEX ZOLD_INDEX ON ZCHAPTER (ZBOOK)", .note),
    sql(
      "no R*Tree", .locationIndexes,
      """
      DROP TABLE Z_RT_Book_byPlace; DROP TRIGGER Z_RT_Book_byPlace_INSERT; DROP TRIGGER Z_RT_Book_byPlace_UPDATE;
      DROP TRIGGER Z_RT_Book_byPlace_DELETE
      """, strictOwn: ["CD-8"], why: "its triggers are missing too"),
    sql(
      "an R*Tree without a row", .locationRows, "DELETE FROM Z_RT_Book_byPlace WHERE Z_PK = 1", own: ["CD-4"],
      why: "the independent check does not read R*Trees; a fetch by place would miss the object"),
    sql(
      "an R*Tree with another place", .locationRows,
      "UPDATE Z_RT_Book_byPlace SET ZLATITUDE_MIN = 50, ZLATITUDE_MAX = 51 WHERE Z_PK = 1",
      own: ["CD-4"], why: "the independent check does not read R*Trees"),
    sql(
      "an R*Tree with a row of nobody", .locationRows, "INSERT INTO Z_RT_Book_byPlace VALUES (77, 1, 1, 2, 2)",
      own: ["CD-4"], why: "the independent check does not read R*Trees"),
    search(
      "a search index without its rows", "INSERT INTO OSD_Genre_SEARCH (OSD_Genre_SEARCH) VALUES ('delete-all')",
      own: ["CD-8"]),
    search("a search index that is gone, but not its triggers", "DROP TABLE OSD_Genre_SEARCH", own: ["CD-8"]),
    search("a search index without a trigger", "DROP TRIGGER OSD_Genre_SEARCH_UPDATE", .warning),
    search(
      "a search index of other texts",
      """
      DROP TABLE OSD_Genre_SEARCH;
      CREATE VIRTUAL TABLE OSD_Genre_SEARCH USING fts5("ZNAME", content = 'ZGENRE', content_rowid = 'Z_PK',
        tokenize = 'unicode61 remove_diacritics 2')
      """, .warning),
    sql(
      "unique values twice", .uniqueValues,
      "DROP INDEX Z_Book_UNIQUE_code; UPDATE ZBOOK SET ZCODE = zeroblob(16)"),
  ]

  private static let rows: [CheckerDamage] = [
    sql("a row of another table's entity", .rowEntities, "UPDATE ZGENRE SET Z_ENT = 3 WHERE Z_PK = 1"),
    sql("a row of an abstract entity", .rowEntities, "UPDATE ZMEDIUM SET Z_ENT = 5"),
    sql("a row of no entity", .rowEntities, "UPDATE ZCHAPTER SET Z_ENT = NULL WHERE Z_PK = 1"),
    sql("no version", .rowVersions, "UPDATE ZGENRE SET Z_OPT = 0 WHERE Z_PK = 1"),
    sql("a version that is text", .rowVersions, "UPDATE ZGENRE SET Z_OPT = 'x' WHERE Z_PK = 1"),
    sql(
      "a key of another entity", .keys,
      "UPDATE ZSHELF SET Z_PK = 5 WHERE Z_PK = 2; UPDATE ZBOOK SET Z7FAVORITES = 5 WHERE Z_ENT = 2; UPDATE Z_PRIMARYKEY SET Z_MAX = 5 WHERE Z_NAME = 'Shelf'; UPDATE ZSHELF SET Z_ENT = 6 WHERE Z_PK = 5"
    ),
    sql("a key of nothing", .keys, "UPDATE ZBOOK SET ZSHELF = 99 WHERE Z_PK = 1", .warning),
    sql(
      "a key that is text", .keys, "UPDATE ZBOOK SET ZSHELF = 'one' WHERE Z_PK = 1", own: ["CD-3.1"],
      why: "the independent check takes it for a key of a deleted object"),
    sql("an entity that is text", .rowEntities, "UPDATE ZSHELF SET Z_ENT = 'Shelf' WHERE Z_PK = 1"),
    sql(
      "an entity column that is text beside a key of nothing", .entityColumnValues,
      "UPDATE ZCHAPTER SET ZBOOK = 99, Z1_BOOK = 'Book' WHERE Z_PK = 1", own: ["CD-3.1"],
      why: "the independent check looks at it where there is a row to compare it with"),
    sql("another entity column", .entityColumnValues, "UPDATE ZCHAPTER SET Z1_BOOK = 2 WHERE Z_PK = 1"),
    sql("no entity column", .entityColumnValues, "UPDATE ZCHAPTER SET Z1_BOOK = NULL WHERE Z_PK = 1"),
    sql("one side of a one-to-one relationship", .oneToOne, "UPDATE ZSLEEVE SET ZDISC = NULL", .warning),
    sql(
      "two objects that lead to one", .oneToOne,
      """
      INSERT INTO ZSLEEVE (Z_PK, Z_ENT, Z_OPT, ZDISC) VALUES (2, 8, 1, 1);
      UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_NAME = 'Sleeve'
      """, .warning),
    sql("no order key", .orderKeys, "UPDATE ZBOOK SET Z_FOK_SHELF = NULL WHERE Z_PK = 1"),
    sql(
      "an order key that is text", .orderKeys, "UPDATE ZBOOK SET Z_FOK_SHELF = 'first' WHERE Z_PK = 1", own: ["CD-3.4"],
      why: "the independent check looks for NULL and for repetitions"),
    sql("an order key twice", .orderKeys, "UPDATE ZBOOK SET Z_FOK_SHELF = 2048 WHERE ZSHELF = 1"),
    sql(
      "an order key of a virtual key twice", .orderKeys,
      "UPDATE ZBOOK SET Z_FOK_7FAVORITES = 2048 WHERE Z7FAVORITES = 2"),
    sql("a pair with nothing", .pairs, "INSERT INTO Z_1GENRES VALUES (1, 77, 4096)"),
    sql("a pair with NULL", .pairs, "INSERT INTO Z_1GENRES VALUES (1, NULL, 4096)"),
    sql("half of a reflexive pair", .pairs, "INSERT INTO Z_1RELATED VALUES (1, 3)"),
    sql("what a deleted partner leaves", .pairs, "INSERT INTO Z_1RELATED VALUES (1, 77)", .warning),
    sql("an order key of a pair twice", .pairOrder, "UPDATE Z_1GENRES SET Z_FOK_4GENRES = 2048"),
    sql("a pair with text", .pairs, "UPDATE Z_1RELATED SET REFLEXIVE = 'two' WHERE Z_1RELATED = 1"),
    sql(
      "an order key of a pair that is text", .pairOrder, "UPDATE Z_1GENRES SET Z_FOK_4GENRES = 'x' WHERE Z_4GENRES = 1",
      own: ["CD-3.4"], why: "the independent check looks for NULL and for repetitions"),
    sql("no order key of a pair", .pairOrder, "UPDATE Z_1GENRES SET Z_FOK_4GENRES = NULL WHERE Z_4GENRES = 1"),
  ]

  private static let values: [CheckerDamage] = [
    sql("a Boolean of 2", .booleans, "UPDATE ZBOOK SET ZISLENT = 2 WHERE Z_PK = 1"),
    sql("text in a Boolean", .booleans, "UPDATE ZBOOK SET ZISLENT = 'yes' WHERE Z_PK = 1"),
    sql("text in an integer", .integers, "UPDATE ZBOOK SET ZPAGES = 'many' WHERE Z_PK = 1"),
    sql("bytes in a number", .reals, "UPDATE ZBOOK SET ZWEIGHT = x'00' WHERE Z_PK = 1"),
    sql("text in a date", .dates, "UPDATE ZBOOK SET ZBOUGHT = 'today' WHERE Z_PK = 1"),
    sql("text in a decimal", .decimals, "UPDATE ZBOOK SET ZPRICE = 'much' WHERE Z_PK = 1"),
    sql("bytes in a string", .strings, "UPDATE ZBOOK SET ZTITLE = x'00' WHERE Z_PK = 1"),
    sql(
      "a text that is not UTF-8", .strings, "UPDATE ZBOOK SET ZTITLE = CAST(x'C3' AS TEXT) WHERE Z_PK = 1",
      own: ["CD-5"], why: "the independent check asks for the type alone"),
    sql(
      "half of a surrogate pair", .strings, "UPDATE ZBOOK SET ZTITLE = CAST(x'EDA080' AS TEXT) WHERE Z_PK = 1",
      own: ["CD-5"], why: "the independent check asks for the type alone"),
    sql(
      "a URI that is not UTF-8", .uris, "UPDATE ZBOOK SET ZLINK = CAST(x'61FF' AS TEXT) WHERE Z_PK = 1", own: ["CD-5"],
      why: "the independent check asks for the type alone"),
    sql("bytes in a URI", .uris, "UPDATE ZBOOK SET ZLINK = x'00' WHERE Z_PK = 1"),
    sql("a UUID of 15 bytes", .uuids, "UPDATE ZBOOK SET ZCODE = zeroblob(15) WHERE Z_PK = 1"),
    sql("text in bytes", .binaries, "UPDATE ZBOOK SET ZTHUMBNAIL = 'x' WHERE Z_PK = 1"),
    sql("text in a transformed value", .transformables, "UPDATE ZBOOK SET ZTAGS = 'x' WHERE Z_PK = 1"),
    sql("another prefix", .externalReferences, "UPDATE ZBOOK SET ZCOVER = x'0301' WHERE Z_PK = 1"),
    sql(
      "a file name that is a path", .externalReferences,
      "UPDATE ZBOOK SET ZCOVER = CAST(x'02' || '../../../../../../../../etc/passwd//' || x'00' AS BLOB) WHERE Z_PK = 1"),
    CheckerDamage(
      name: "a missing file", rule: .externalFiles, severity: .warning,
      change: { url in
        try FileManager.default.removeItem(
          at: URL(fileURLWithPath: ExternalDataFolder(storePath: url.path).path).appendingPathComponent(
            CheckerSampleStore.externalName))
      }),
    CheckerDamage(
      name: "a file of nobody", rule: .externalFiles, severity: .warning,
      change: { url in
        try Data("x".utf8).write(
          to: URL(fileURLWithPath: ExternalDataFolder(storePath: url.path).path).appendingPathComponent(
            UUID().uuidString))
      }),
    sql(
      "a derived value that is out of date", .derivedValues, "UPDATE ZBOOK SET ZCHAPTERCOUNT = 9 WHERE Z_PK = 1",
      .warning),
    sql("no required value", .requiredValues, "UPDATE ZBOOK SET ZTITLE = NULL WHERE Z_PK = 1", .warning),
    sql("a value of another entity", .foreignValues, "UPDATE ZBOOK SET ZHERO = 'x' WHERE Z_PK = 1", .warning),
  ]

  private static let history: [CheckerDamage] = [
    sql("a missing table of history", .historyTables, "DROP TABLE ATRANSACTIONSTRING"),
    sql("no table of changes", .historyTables, "DROP TABLE ACHANGE"),
    sql("no table of transactions", .historyTables, "DROP TABLE ATRANSACTION"),
    sql("a missing index of history", .historyIndexes, "DROP INDEX ACHANGE_ZTRANSACTIONID_INDEX"),
    sql("too few columns for deleted objects", .historyTables, "ALTER TABLE ACHANGE DROP COLUMN ZTOMBSTONE0"),
    sql(
      "no column of the transaction", .historyTables,
      "DROP INDEX ACHANGE_ZTRANSACTIONID_INDEX; ALTER TABLE ACHANGE DROP COLUMN ZTRANSACTIONID"),
    sql("no column of the kind of change", .historyTables, "ALTER TABLE ACHANGE DROP COLUMN ZCHANGETYPE"),
    sql("no column of bitmaps", .historyTables, "ALTER TABLE ACHANGE DROP COLUMN ZCOLUMNS"),
    sql(
      "no column of the time", .historyTables,
      "DROP INDEX Z_TRANSACTION_TransactionTimestampIndex; ALTER TABLE ATRANSACTION DROP COLUMN ZTIMESTAMP"),
    sql(
      "no column of the author's key", .historyTables,
      "DROP INDEX ATRANSACTION_ZAUTHORTS_INDEX; ALTER TABLE ATRANSACTION DROP COLUMN ZAUTHORTS"),
    sql(
      "no column of texts", .historyTables,
      "DROP INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME; ALTER TABLE ATRANSACTIONSTRING DROP COLUMN ZNAME"),
    sql("a version column of history too few", .historyTables, "ALTER TABLE ACHANGE DROP COLUMN Z_OPT"),
    sql("a renamed column of history", .historyTables, "ALTER TABLE ACHANGE RENAME COLUMN ZENTITYPK TO ZOBJECT"),
    sql(
      "a gap among the columns for deleted objects", .historyTables, "ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE2 BLOB"),
    sql(
      "a text of transactions twice", .transactions,
      """
      DROP INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME;
      INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (2, 16003, 'tests');
      UPDATE ATRANSACTION SET ZAUTHORTS = 2 WHERE Z_PK = 2; UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_ENT = 16003
      """),
    sql("a missing number of history", .historyNumbers, "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 16002"),
    sql("another Z_ENT of history", .historyRows, "UPDATE ACHANGE SET Z_ENT = 16002 WHERE Z_PK = 1"),
    sql("a version of history", .historyRows, "UPDATE ATRANSACTION SET Z_OPT = 1 WHERE Z_PK = 1"),
    sql("another kind of change", .changes, "UPDATE ACHANGE SET ZCHANGETYPE = 3 WHERE Z_PK = 1"),
    sql("a change of no entity", .changes, "UPDATE ACHANGE SET ZENTITY = 55 WHERE Z_PK = 1"),
    sql(
      "a key of a change that is text", .changes, "UPDATE ACHANGE SET ZENTITYPK = 'x' WHERE Z_PK = 3", own: ["CD-7"],
      why: "the independent check asks that there is one"),
    sql("a change of no transaction", .changes, "UPDATE ACHANGE SET ZTRANSACTIONID = 55 WHERE Z_PK = 1"),
    sql("a time that is text", .transactions, "UPDATE ATRANSACTION SET ZTIMESTAMP = 'now' WHERE Z_PK = 1"),
    sql("an author that is nowhere", .transactions, "UPDATE ATRANSACTION SET ZAUTHORTS = 9 WHERE Z_PK = 1"),
    sql("a bitmap too short", .bitmaps, "UPDATE ACHANGE SET ZCOLUMNS = x'00' WHERE Z_PK = 2"),
    sql("a bitmap of an insert", .bitmaps, "UPDATE ACHANGE SET ZCOLUMNS = x'000000' WHERE Z_PK = 1"),
    sql("no bitmap of an update", .bitmaps, "UPDATE ACHANGE SET ZCOLUMNS = NULL WHERE Z_PK = 2"),
    sql(
      "a value kept of an insert", .tombstones, "UPDATE ACHANGE SET ZTOMBSTONE0 = 'x' WHERE Z_PK = 1", own: ["CD-7"],
      why: "the independent check does not read what is kept of deleted objects"),
    sql(
      "a kept value of another type", .tombstones, "UPDATE ACHANGE SET ZTOMBSTONE0 = 7 WHERE Z_PK = 3", own: ["CD-7"],
      why: "the independent check does not read what is kept of deleted objects"),
    sql(
      "a value kept that no model asks for", .tombstones,
      "UPDATE ACHANGE SET ZENTITY = 4, ZENTITYPK = 9 WHERE Z_PK = 3", own: ["CD-7"],
      why: "the independent check does not read what is kept of deleted objects"),
    sql("an object that was deleted", .lastChanges, "UPDATE ACHANGE SET ZENTITYPK = 1 WHERE Z_PK = 3"),
    sql("an object that is gone", .lastChanges, "UPDATE ACHANGE SET ZENTITYPK = 9 WHERE Z_PK < 3", .warning),
  ]
}

struct CheckerDamageError: Error {
  let output: String
}
