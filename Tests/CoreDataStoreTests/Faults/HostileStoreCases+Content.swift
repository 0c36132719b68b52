import Foundation
import ManagedModel
import ModelArchive
import SQLite
import StoreTestSupport

@testable import CoreDataStore

extension HostileStoreTests {
  /// Models that the store carries.
  static let models: [Case] = [
    Case("the model is NULL") { try $0.sql("UPDATE Z_MODELCACHE SET Z_CONTENT = NULL") },
    Case("the model is empty") { try $0.modelCache(Data()) },
    Case("the model is a number") { try $0.sql("UPDATE Z_MODELCACHE SET Z_CONTENT = 12345") },
    Case("the model is noise") {
      try $0.modelCache(Data((0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 197 &+ 13) }))
    },
    Case("the model ends too early") { vandal in
      try vandal.modelCache(ModelArchive.encodeModelCache(SampleModel.library).prefix(900))
    },
    Case("the model is not deflated") { try $0.modelCache(ModelArchive.encode(SampleModel.library)) },
    Case("the model is a bomb") { try $0.modelCache(RawDeflate.deflate(Data(count: 70 << 20))) },
    Case("the model is a property list without end") {
      try $0.modelCache(RawDeflate.deflate(selfReferentialArray))
    },
    Case("the model is a property list nested twenty thousand deep") {
      try $0.modelCache(RawDeflate.deflate(nestedArrays(20_000)))
    },
    Case("the model doubles at every level") { try $0.modelCache(RawDeflate.deflate(doublingArrays(60))) },
    Case("the model's class is another") { try $0.modelText("NSManagedObjectModel", "NSManagedObjectMadel") },
    Case("the model has no entities") { try $0.model { $0.entities = [] } },
    Case("an entity is its own superentity") { try $0.model { $0.entities[0].superentityName = "Shelf" } },
    Case("superentities in a circle") { vandal in
      try vandal.model {
        $0.entities[0].superentityName = "Genre"
        $0.entities[3].superentityName = "Shelf"
      }
    },
    Case("a line of three thousand superentities") { vandal in
      try vandal.model { model in
        model.entities += (0..<3000).map {
          EntityDescription(name: "E\($0)", superentityName: $0 == 0 ? nil : "E\($0 - 1)")
        }
      }
    },
    Case("a thousand entities too many") { vandal in
      try vandal.model { model in model.entities += (0..<1000).map { EntityDescription(name: "E\($0)") } }
    },
    Case("an entity too few") { try $0.model { $0.entities.removeLast() } },
    Case("two entities of one name") { try $0.modelText("Genre", "Shelf") },
    Case("a name in quotes") { try $0.modelText("Genre", "G\";--") },
    Case("a name with a line break") { try $0.modelText("Genre", "G\nnre") },
    Case("a name with a NUL") { try $0.modelText("Genre", "G\0nre") },
    Case("a name that leads upwards") { try $0.modelText("Genre", "../..") },
    Case("a property in quotes") { try $0.modelText("label", "a\"b'c") },
    Case("a property called like a column of the store's own") { try $0.modelText("label", "_PK\0\0") },
    Case("a relationship to nowhere") { vandal in
      try vandal.model {
        $0.entities[0].properties.append(
          .relationship(RelationshipDescription(name: "gone", destinationEntityName: "Nowhere")))
      }
    },
    Case("an inverse that leads elsewhere") { vandal in
      try vandal.model {
        $0.entities[0].properties.append(
          .relationship(RelationshipDescription(name: "other", destinationEntityName: "Book", inverseName: "genres")))
      }
    },
    Case("a property too many") { vandal in
      try vandal.model {
        $0.entities[0].properties.append(.attribute(AttributeDescription(name: "height", type: .double)))
      }
    },
    Case("an attribute of another type") { vandal in
      try vandal.model { $0.entities[0].properties[0] = .attribute(AttributeDescription(name: "label", type: .date)) }
    },
    Case("an attribute without a type") { vandal in
      try vandal.model {
        $0.entities[0].properties[0] = .attribute(AttributeDescription(name: "label", type: .undefined))
      }
    },
    Case("a composite nested thirty deep") { vandal in
      try vandal.model { model in
        var leaf = AttributeDescription(name: "leaf", type: .string)
        for level in 0..<30 { leaf = AttributeDescription(name: "c\(level)", type: .composite, elements: [leaf]) }
        model.entities[0].properties.append(.attribute(leaf))
      }
    },
    Case("a uniqueness constraint on nothing") {
      try $0.model { $0.entities[0].uniquenessConstraints = [["none"]] }
    },
    Case("the root is a subentity, and the subentity the root") { vandal in
      try vandal.model {
        $0.entities[1].superentityName = "Novel"
        $0.entities[2].superentityName = nil
      }
    },
  ]

  /// `Z_PRIMARYKEY`.
  static let keys: [Case] = [
    Case("no row of keys") { try $0.sql("DELETE FROM Z_PRIMARYKEY") },
    Case("an entity without a row of keys") { try $0.sql("DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Genre'") },
    Case("the first entity without a row of keys") {
      try $0.sql("DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'")
    },
    Case("entity number zero") { try $0.sql("UPDATE Z_PRIMARYKEY SET Z_ENT = 0 WHERE Z_NAME = 'Book'") },
    Case("a negative entity number") {
      try $0.sql("UPDATE Z_PRIMARYKEY SET Z_ENT = -5000000000 WHERE Z_NAME = 'Book'")
    },
    Case("an entity number of 64 bits") {
      try $0.sql("UPDATE Z_PRIMARYKEY SET Z_ENT = 9223372036854775807 WHERE Z_NAME = 'Book'")
    },
    Case("an entity number of history") {
      try $0.sql("UPDATE Z_PRIMARYKEY SET Z_ENT = 16000 WHERE Z_NAME = 'Genre'")
    },
    Case("an entity number of another entity") {
      try $0.sql(
        "DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Genre'; UPDATE Z_PRIMARYKEY SET Z_ENT = 3 WHERE Z_NAME = 'Book'")
    },
    Case("two rows of one name") {
      try $0.sql("UPDATE Z_PRIMARYKEY SET Z_NAME = 'Book' WHERE Z_NAME = 'Genre'")
    },
    Case("names that are NULL") { try $0.sql("UPDATE Z_PRIMARYKEY SET Z_NAME = NULL") },
    Case("a name of bytes") { try $0.sql("UPDATE Z_PRIMARYKEY SET Z_NAME = x'ff00fe' WHERE Z_NAME = 'Genre'") },
    Case("superentities in a circle of numbers") {
      try $0.sql("UPDATE Z_PRIMARYKEY SET Z_SUPER = 3 - Z_ENT WHERE Z_ENT < 3")
    },
    Case("a last key of NULL") { try $0.sql("UPDATE Z_PRIMARYKEY SET Z_MAX = NULL WHERE Z_NAME = 'Book'") },
    Case("a last key that is a text") {
      try $0.sql("UPDATE Z_PRIMARYKEY SET Z_MAX = 'many' WHERE Z_NAME = 'Book'")
    },
    Case("a negative last key") { try $0.sql("UPDATE Z_PRIMARYKEY SET Z_MAX = -7 WHERE Z_NAME = 'Book'") },
    Case("the last key there is") {
      try $0.sql("UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_NAME = 'Book'")
    },
    Case("a last key beyond all numbers") {
      try $0.sql("UPDATE Z_PRIMARYKEY SET Z_MAX = 9e999 WHERE Z_NAME = 'Book'")
    },
    Case("three thousand rows too many") {
      try $0.sql(
        "WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) INSERT INTO Z_PRIMARYKEY SELECT i, 'E' || i, 0, 0 FROM n"
      )
    },
  ]

  static let rows: [Case] = [
    Case("rows of no entity") { try $0.sql("UPDATE ZBOOK SET Z_ENT = NULL WHERE Z_PK = 1") },
    Case("rows of an unknown entity") { try $0.sql("UPDATE ZBOOK SET Z_ENT = 77 WHERE Z_PK = 1") },
    Case("rows of an entity of another table") { try $0.sql("UPDATE ZBOOK SET Z_ENT = 4 WHERE Z_PK = 1") },
    Case("an entity number that is a text") { try $0.sql("UPDATE ZBOOK SET Z_ENT = 'Book' WHERE Z_PK = 1") },
    Case("rows of an entity that is abstract") { try $0.model { $0.entities[1].isAbstract = true } },
    Case("keys at the ends of all numbers") {
      try $0.sql(
        "INSERT INTO ZGENRE (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (-9223372036854775808, 3, 1, 'a'), (9223372036854775807, 3, 1, 'b'), (0, 3, 1, 'c')"
      )
    },
    Case("a version of NULL") { try $0.sql("UPDATE ZBOOK SET Z_OPT = NULL WHERE Z_PK = 1") },
    Case("a version that is a text") { try $0.sql("UPDATE ZBOOK SET Z_OPT = 'one' WHERE Z_PK = 1") },
    Case("the last version there is") {
      try $0.sql("UPDATE ZBOOK SET Z_OPT = 9223372036854775807, ZCODE = zeroblob(16) WHERE Z_PK = 1")
    },
    Case("a key that leads nowhere") { try $0.sql("UPDATE ZBOOK SET ZSHELF = 4711 WHERE Z_PK = 1") },
    Case("a key that is a text") { try $0.sql("UPDATE ZBOOK SET ZSHELF = 'top' WHERE Z_PK = 1") },
    Case("a place in order without an owner") { try $0.sql("UPDATE ZBOOK SET ZSHELF = NULL WHERE Z_PK = 1") },
    Case("an owner without a place in order") {
      try $0.sql("UPDATE ZBOOK SET Z_FOK_SHELF = NULL WHERE Z_PK = 1")
    },
    Case("two at one place in order") { try $0.sql("UPDATE ZBOOK SET Z_FOK_SHELF = 9223372036854775807") },
    Case("a pair of NULL") { try $0.sql("UPDATE Z_1GENRES SET Z_1BOOKS = NULL WHERE Z_1BOOKS = 1") },
    Case("a pair that leads nowhere") { try $0.sql("UPDATE Z_1GENRES SET Z_1BOOKS = 99 WHERE Z_1BOOKS = 1") },
    Case("a book that is related to itself") {
      try $0.sql("INSERT INTO Z_1RELATED (Z_1RELATED, REFLEXIVE) VALUES (1, 1)")
    },
    Case("a relation in one direction") {
      try $0.sql("INSERT INTO Z_1RELATED (Z_1RELATED, REFLEXIVE) VALUES (1, 2)")
    },
    Case("a novel that is its own sequel") {
      try $0.sql("UPDATE ZBOOK SET Z_ENT = 2, ZSEQUEL = 1, Z1_SEQUEL = 2 WHERE Z_PK = 1")
    },
    Case("a sequel of the wrong entity") {
      try $0.sql("UPDATE ZBOOK SET Z_ENT = 2, ZSEQUEL = 2, Z1_SEQUEL = 88 WHERE Z_PK = 1")
    },
    Case("texts for numbers") {
      try $0.sql("UPDATE ZBOOK SET ZPAGES = 'many', ZPRICE = 'dear', ZBOUGHT = 'once' WHERE Z_PK = 1")
    },
    Case("bytes for a text") { try $0.sql("UPDATE ZBOOK SET ZTITLE = x'fffe00c3' WHERE Z_PK = 1") },
    Case("a text that is no UTF-8") {
      try $0.sql("UPDATE ZBOOK SET ZTITLE = CAST(x'c328ff00ed' AS TEXT) WHERE Z_PK = 1")
    },
    Case("numbers beyond all numbers") {
      try $0.sql("UPDATE ZBOOK SET ZPRICE = 9e999, ZBOUGHT = -9e999, ZPAGES = 1e300 WHERE Z_PK = 1")
    },
    Case("an identifier of three bytes") { try $0.sql("UPDATE ZBOOK SET ZCODE = x'010203' WHERE Z_PK = 1") },
    Case("values that must be unique and are not") {
      try $0.sql("DROP INDEX Z_Book_UNIQUE_code; UPDATE ZBOOK SET ZCODE = zeroblob(16)")
    },
    Case("forty megabytes in a value") {
      try $0.sql("UPDATE ZBOOK SET ZCOVER = zeroblob(40 << 20) WHERE Z_PK = 1")
    },
  ]

  /// Tables, indexes and triggers that are other than Core Data makes them.
  static let schemas: [Case] = [
    Case("a table missing") { try $0.sql("DROP TABLE ZGENRE") },
    Case("a column missing") { try $0.sql("ALTER TABLE ZGENRE DROP COLUMN ZNAME") },
    Case("a view for a table") {
      try $0.sql("ALTER TABLE ZGENRE RENAME TO G; CREATE VIEW ZGENRE AS SELECT * FROM G")
    },
    Case("a view without end for a table") {
      try $0.sql(
        "DROP TABLE ZGENRE; CREATE VIEW ZGENRE AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS Z_PK, 3 AS Z_ENT, 1 AS Z_OPT, 'x' AS ZNAME FROM n"
      )
    },
    Case("a virtual table for a table") {
      try $0.sql("DROP TABLE ZGENRE; CREATE VIRTUAL TABLE ZGENRE USING fts5(Z_PK, Z_ENT, Z_OPT, ZNAME)")
    },
    Case("a virtual table of a module there is not") {
      try $0.sql(
        "DROP TABLE ZGENRE; INSERT INTO sqlite_master VALUES ('table', 'ZGENRE', 'ZGENRE', 0, 'CREATE VIRTUAL TABLE ZGENRE USING nothing(Z_PK)')"
      )
    },
    Case("a table without row numbers") {
      try $0.sql(
        "DROP TABLE ZGENRE; CREATE TABLE ZGENRE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR ) WITHOUT ROWID; INSERT INTO ZGENRE VALUES (1, 3, 1, 'a')"
      )
    },
    Case("a key that is no primary key") {
      try $0.sql(
        "DROP TABLE ZGENRE; CREATE TABLE ZGENRE ( Z_PK VARCHAR, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR ); INSERT INTO ZGENRE VALUES ('p', 3, 1, 'a'), (NULL, 3, 1, 'b')"
      )
    },
    Case("columns that are computed") {
      try $0.sql(
        "DROP TABLE ZGENRE; CREATE TABLE ZGENRE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR AS (hex(zeroblob(9))) )"
      )
    },
    Case("columns that are computed with what is forbidden") {
      try $0.sql(
        "DROP TABLE ZGENRE; CREATE TABLE ZGENRE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR AS (lower('x')) STORED )"
      )
      try $0.definition(of: "ZGENRE", "lower", "load_extension")
    },
    Case("a column too many that must not be NULL") {
      try $0.sql("ALTER TABLE ZGENRE ADD COLUMN ZEXTRA VARCHAR NOT NULL DEFAULT 'x'")
    },
    Case("a table of two thousand columns") {
      try $0.sql(
        "DROP TABLE ZGENRE; CREATE TABLE ZGENRE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR, \((0..<1990).map { "C\($0)" }.joined(separator: ", ")) )"
      )
    },
    Case("a collation there is not") {
      try $0.definition(of: "ZGENRE", "ZNAME VARCHAR", "ZNAME VARCHAR COLLATE NOTHING")
    },
    Case("an index with a collation there is not") {
      try $0.sql("CREATE INDEX ZMINE ON ZGENRE (ZNAME COLLATE NOCASE)")
      try $0.definition(of: "ZMINE", "NOCASE", "NOTHING")
    },
    Case("an index with a function there is not") {
      try $0.sql("CREATE INDEX ZMINE ON ZGENRE (lower(ZNAME))")
      try $0.definition(of: "ZMINE", "lower", "nothing")
    },
    Case("a definition that is no SQL") {
      try $0.sql("UPDATE sqlite_master SET sql = 'CREATE TABLE ZGENRE nonsense' WHERE name = 'ZGENRE'")
    },
    Case("a definition of another table") { try $0.definition(of: "ZGENRE", "ZGENRE", "ZOTHER") },
    Case("two tables on one page") {
      try $0.sql(
        "UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'ZBOOK') WHERE name = 'ZGENRE'"
      )
    },
    Case("a table on a page there is not") {
      try $0.sql("UPDATE sqlite_master SET rootpage = 100000 WHERE name = 'ZGENRE'")
    },
    Case("two thousand tables too many") {
      try $0.sql("BEGIN; \((0..<2_000).map { "CREATE TABLE T\($0) (A);" }.joined()) COMMIT")
    },
    Case("an unknown trigger") {
      try $0.sql("CREATE TRIGGER T AFTER INSERT ON ZGENRE BEGIN DELETE FROM ZBOOK; END")
    },
  ]
}
