import CoreDataStore
import Foundation
import ManagedModel
import SQLite
import TestSupport

@testable import StoreInspection

/// A small store that has everything a check looks at, in order until a test damages it.
enum CheckerSampleStore {
  static let model = ModelDescription(
    entities: [
      EntityDescription(
        name: "Book",
        properties: [
          .attribute(AttributeDescription(name: "title", type: .string, preservesValueInHistoryOnDeletion: true)),
          attribute("code", .uuid), attribute("price", .decimal), attribute("pages", .integer32),
          attribute("weight", .double), attribute("bought", .date), attribute("isLent", .boolean),
          attribute("link", .uri), attribute("thumbnail", .binary), attribute("latitude", .double),
          attribute("longitude", .double),
          .attribute(
            AttributeDescription(
              name: "tags", type: .transformable, isOptional: true, valueTransformerName: "NSSecureUnarchiveFromData")),
          .attribute(
            AttributeDescription(
              name: "cover", type: .binary, isOptional: true, allowsExternalBinaryDataStorage: true)),
          .attribute(
            AttributeDescription(
              name: "size", type: .composite, isOptional: true, compositeName: "Size",
              elements: [
                AttributeDescription(name: "width", type: .double, isOptional: true),
                AttributeDescription(name: "height", type: .double, isOptional: true),
              ])),
          .attribute(
            AttributeDescription(
              name: "chapterCount", type: .integer64, isOptional: true,
              derivation: .init(expression: "chapters.@count"))),
          toOne("shelf", "Shelf", "books"),
          toMany("chapters", "Chapter", "book"),
          toMany("genres", "Genre", "books", isOrdered: true),
          toMany("related", "Book", "related"),
        ],
        uniquenessConstraints: [["code"]],
        fetchIndexes: [
          FetchIndexDescription(
            name: "byTitle", elements: [.init(subject: .property("title"), isAscending: false)],
            partialIndexPredicate: "pages > 10"),
          FetchIndexDescription(
            name: "byPlace",
            elements: [
              .init(subject: .property("latitude"), kind: .rTree), .init(subject: .property("longitude"), kind: .rTree),
            ]),
        ]),
      EntityDescription(
        name: "Novel", superentityName: "Book",
        properties: [attribute("hero", .string), toOne("sequel", "Book", nil)]),
      EntityDescription(
        name: "Chapter", properties: [attribute("number", .integer16), toOne("book", "Book", "chapters")]),
      EntityDescription(name: "Genre", properties: [attribute("name", .string), toMany("books", "Book", "genres")]),
      EntityDescription(
        name: "Shelf",
        properties: [
          attribute("label", .string), toMany("books", "Book", "shelf", isOrdered: true),
          toMany("favorites", "Novel", nil, isOrdered: true),
        ]),
      EntityDescription(name: "Medium", isAbstract: true, properties: [attribute("name", .string)]),
      EntityDescription(name: "Disc", superentityName: "Medium", properties: [toOne("sleeve", "Sleeve", "disc")]),
      EntityDescription(name: "Sleeve", properties: [toOne("disc", "Disc", "sleeve")]),
    ], versionIdentifiers: ["1.0.0"])

  private static func attribute(_ name: String, _ type: AttributeType) -> PropertyDescription {
    .attribute(AttributeDescription(name: name, type: type, isOptional: true))
  }

  private static func toOne(_ name: String, _ destination: String, _ inverse: String?) -> PropertyDescription {
    .relationship(RelationshipDescription(name: name, destinationEntityName: destination, inverseName: inverse))
  }

  private static func toMany(
    _ name: String, _ destination: String, _ inverse: String?, isOrdered: Bool = false
  ) -> PropertyDescription {
    .relationship(
      RelationshipDescription(
        name: name, destinationEntityName: destination, inverseName: inverse, isOrdered: isOrdered, maximumCount: 0))
  }

  /// A file of external storage that the rows refer to.
  static let externalName = "0F6A3B8C-1111-4222-8333-444455556666"

  static func make() throws -> TemporaryStore {
    let folder = try TemporaryStore(name: "Books.store")
    let store = try PersistentStore.open(at: folder.url, model: model)
    try store.write { try $0.execute(rows) }
    store.close()
    // The main file alone, as a copy of it has to be the whole store.
    try execute("PRAGMA wal_checkpoint(TRUNCATE)", on: folder.url)
    let files = URL(fileURLWithPath: ExternalDataFolder(storePath: folder.url.path).path)
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    try Data("a cover".utf8).write(to: files.appendingPathComponent(externalName))
    return folder
  }

  /// Runs SQL on a copy's connection that knows Core Data's functions, as any program that writes has to.
  static func execute(_ script: String, on url: URL) throws {
    let connection = try Connection(path: url.path, mode: .readWrite)
    defer { connection.close() }
    try TriggerFunctions.register(on: connection)
    try connection.trustSchema()
    try connection.execute(script)
  }

  /// Two shelves, two genres, a book and two novels with chapters, a disc with its sleeve; two transactions of history.
  private static let rows = """
    INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT, ZLABEL) VALUES (1, 7, 1, 'top'), (2, 7, 1, 'bottom');
    INSERT INTO ZGENRE (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 4, 1, 'tale'), (2, 4, 1, 'saga');
    INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZCODE, ZPRICE, ZPAGES, ZWEIGHT, ZBOUGHT, ZISLENT, ZLINK, ZTHUMBNAIL,
      ZLATITUDE, ZLONGITUDE, ZTAGS, ZCOVER, ZWIDTH, ZHEIGHT, ZSHELF, Z_FOK_SHELF)
    VALUES (1, 1, 1, 'one', x'00112233445566778899AABBCCDDEEF1', 9.5, 11, 0.5, 700000000.5, 0, 'https://example.org/1',
      x'89', 48.1, 11.6, x'62', x'01AB', 1.5, 2.5, 1, 2048);
    INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZCODE, ZISLENT, ZCOVER, ZSHELF, Z_FOK_SHELF, Z7FAVORITES,
      Z_FOK_7FAVORITES, ZHERO)
    VALUES (2, 2, 1, 'two', x'00112233445566778899AABBCCDDEEF2', 1,
      CAST(x'02' || '\(externalName)' || x'00' AS BLOB), 1, 3072, 2, 2048, 'Ada');
    INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZCODE, Z7FAVORITES, Z_FOK_7FAVORITES, ZSEQUEL, Z1_SEQUEL)
    VALUES (3, 2, 2, 'three', x'00112233445566778899AABBCCDDEEF3', 2, 3072, 2, 2);
    INSERT INTO ZCHAPTER (Z_PK, Z_ENT, Z_OPT, ZNUMBER, ZBOOK, Z1_BOOK) VALUES (1, 3, 1, 1, 1, 1), (2, 3, 1, 2, 2, 2);
    INSERT INTO Z_1GENRES (Z_1BOOKS, Z_4GENRES, Z_FOK_4GENRES) VALUES (1, 1, 2048), (1, 2, 3072), (2, 2, 2048);
    INSERT INTO Z_1RELATED (Z_1RELATED, REFLEXIVE) VALUES (1, 2), (2, 1);
    INSERT INTO ZMEDIUM (Z_PK, Z_ENT, Z_OPT, ZNAME, ZSLEEVE) VALUES (1, 6, 1, 'disc', 1);
    INSERT INTO ZSLEEVE (Z_PK, Z_ENT, Z_OPT, ZDISC) VALUES (1, 8, 1, 1);
    UPDATE Z_PRIMARYKEY SET Z_MAX = CASE Z_NAME WHEN 'Book' THEN 4 WHEN 'Chapter' THEN 2 WHEN 'Genre' THEN 2
      WHEN 'Medium' THEN 1 WHEN 'Shelf' THEN 2 WHEN 'Sleeve' THEN 1 ELSE 0 END;
    INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX)
    VALUES (16001, 'CHANGE', 0, 3), (16002, 'TRANSACTION', 0, 2), (16003, 'TRANSACTIONSTRING', 0, 1);
    INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (1, 16003, 'tests');
    INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZAUTHORTS, ZTIMESTAMP) VALUES (1, 16002, 1, 700000001.5), (2, 16002, NULL, 700000002.5);
    INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS, ZTOMBSTONE0)
    VALUES (1, 16001, 0, 2, 3, 1, NULL, NULL), (2, 16001, 1, 2, 3, 2, x'000000', NULL),
      (3, 16001, 2, 1, 4, 2, NULL, 'gone');
    """
}
