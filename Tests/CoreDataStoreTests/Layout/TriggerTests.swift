import Foundation
import ManagedModel
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// Triggers of real stores do what they do under Core Data (CD-8), and location indexes follow (CD-4).
@Suite struct TriggerTests {
  private static let libraries = [
    "openhouse__osxphotos__Test-10.15.7_Photos.sqlite", "openhouse__osxphotos__Test-14.0.0_Photos.sqlite",
    "openhouse__osxphotos__Test-16.0.0-beta_Photos.sqlite",
  ]

  private func columns(_ entity: EntityLayout, _ names: some Sequence<String>) -> [ColumnSelection] {
    names.map { ColumnSelection(entityName: entity.name, propertyName: $0) }
  }

  /// Rows whose place in an R*Tree is not the one in their table, or that stand in one only.
  private func strays(_ url: URL, _ tree: String, _ table: String, _ latitude: String, _ longitude: String) throws
    -> [[StoreValue]]
  {
    try PlainSQL.rows(
      url,
      """
      SELECT Z_PK FROM \(table) t WHERE NOT EXISTS (SELECT 1 FROM "\(tree)" r WHERE r.Z_PK = t.Z_PK \
      AND abs(r.\(latitude)_MIN - ifnull(t.\(latitude), 0)) < 0.001 AND abs(r.\(longitude)_MAX - ifnull(t.\(longitude), 0)) < 0.001) \
      UNION ALL SELECT Z_PK FROM "\(tree)" WHERE Z_PK NOT IN (SELECT Z_PK FROM \(table))
      """)
  }

  @Test(
    "CD-4 CD-8: a Photos library's counts, copies and location index are right after rows come, change and go",
    .enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"), arguments: libraries)
  func photos(_ name: String) throws {
    let copy = try Fixtures.copyOfStore(name)
    let store = try PersistentStore.open(at: copy.url)
    let before = try RealStores.failures(copy.url)
    let assets = try #require(store.layout.entity(named: "GenericAsset") ?? store.layout.entity(named: "Asset"))
    let extras = try #require(store.layout.entity(named: "AdditionalAssetAttributes"))
    let tree = "Z_RT_\(assets.name)_boundedByRect"
    func check(_ moment: String) throws {
      let strays = try strays(copy.url, tree, assets.table.name, "ZLATITUDE", "ZLONGITUDE")
      #expect(strays.isEmpty, "\(moment): \(strays)")
      if assets.property(named: "derivedCameraCaptureDevice") != nil {
        let wrong = try PlainSQL.rows(
          copy.url,
          """
          SELECT a.Z_PK FROM ZASSET a JOIN ZADDITIONALASSETATTRIBUTES b ON b.Z_PK = a.ZADDITIONALATTRIBUTES \
          WHERE a.ZDERIVEDCAMERACAPTUREDEVICE IS NOT b.ZCAMERACAPTUREDEVICE
          """)
        #expect(wrong.isEmpty, "\(moment): \(wrong)")
      }
    }
    try check("at first")
    // Of 2019 the asset is abstract.
    let asset = try #require(store.layout.entities.first { $0.lineage.contains(assets.name) && !$0.isAbstract })
    let place: [String: StoreValue] = ["latitude": .real(48.5), "longitude": .real(-12.25)]
    let row = StoreValuesRow(place.mapValues { .values([$0]) })
    let extra = StoreValuesRow()
    row.contents["additionalAttributes"] = .row(extra)
    extra.contents["asset"] = .row(row)
    var extraNames = ["asset"]
    if assets.property(named: "derivedCameraCaptureDevice") != nil {
      extra.contents["cameraCaptureDevice"] = .values([.integer(7)])
      extraNames.append("cameraCaptureDevice")
    }
    var changes = ChangeSet()
    changes.insertions = [
      .init(entity: Int32(asset.number), columns: columns(asset, row.contents.keys.sorted()), source: row),
      .init(entity: Int32(extras.number), columns: columns(extras, extraNames), source: extra),
    ]
    let made = try store.save(changes).inserted.map(\.object)
    try check("inserted")
    changes = ChangeSet()
    changes.updates = [
      .init(
        object: made[0], version: 1, columns: columns(asset, ["latitude"]), changedProperties: ["latitude"],
        source: StoreValuesRow(values: ["latitude": .real(-3)]))
    ]
    if extraNames.count > 1 {
      changes.updates.append(
        .init(
          object: made[1], version: 1, columns: columns(extras, ["cameraCaptureDevice"]),
          changedProperties: ["cameraCaptureDevice"],
          source: StoreValuesRow(values: ["cameraCaptureDevice": .integer(9)])))
    }
    let result = try store.save(changes)
    if extraNames.count > 1 { #expect(result.affected == [made[0]]) }
    try check("changed")
    changes = ChangeSet()
    changes.deletions = made.map { .init(object: $0, version: nil) }
    _ = try store.save(changes)
    try check("deleted")
    #expect(try RealStores.failures(copy.url) == before)
  }

  @Test(
    "CD-8: the counters of a Photos library that its own triggers keep count what is saved",
    .enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"))
  func countersOfPhotos() throws {
    let copy = try Fixtures.copyOfStore("openhouse__osxphotos__Test-10.15.7_Photos.sqlite")
    let store = try PersistentStore.open(at: copy.url)
    let faces = try #require(store.layout.entity(named: "DetectedFace"))
    let people = try #require(store.layout.entity(named: "Person"))
    let asset = try #require(
      PlainSQL.rows(
        copy.url,
        "SELECT Z_ENT, Z_PK FROM ZGENERICASSET WHERE ZTRASHEDSTATE = 0 AND ZVISIBILITYSTATE = 0 AND ZHIDDEN = 0"
      ).first)
    guard case .integer(let number) = asset[0], case .integer(let key) = asset[1] else {
      Issue.record("\(asset)")
      return
    }
    let person = StoreValuesRow()
    let face = StoreValuesRow([
      "hidden": .values([.integer(0)]), "assetVisible": .values([.integer(0)]), "person": .row(person),
      "asset": .object(ObjectKey(entity: Int32(number), key: key)),
    ])
    var changes = ChangeSet()
    changes.insertions = [
      .init(entity: Int32(people.number), columns: [], source: person),
      .init(entity: Int32(faces.number), columns: columns(faces, face.contents.keys.sorted()), source: face),
    ]
    let result = try store.save(changes)
    let (owner, member) = (result.inserted[0].object, result.inserted[1].object)
    #expect(result.affected.contains(owner) && result.affected.contains(member))
    let counts =
      "SELECT ZFACECOUNT, (SELECT ZASSETVISIBLE FROM ZDETECTEDFACE WHERE Z_PK = \(member.key)) FROM ZPERSON "
      + "WHERE Z_PK = \(owner.key)"
    #expect(try PlainSQL.rows(copy.url, counts) == [[.integer(1), .integer(1)]])
    changes = ChangeSet()
    changes.updates = [
      .init(
        object: member, version: 1, columns: columns(faces, ["person"]), changedProperties: ["person"],
        source: StoreValuesRow(["person": .object(nil)]))
    ]
    #expect(try store.save(changes).affected == [owner])
    #expect(try PlainSQL.rows(copy.url, counts) == [[.integer(0), .integer(1)]])
  }

  @Test(
    "CD-8: a real count goes with its relationship: moved, cut, and with the object that is deleted",
    .enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"))
  func pagesCount() throws {
    let copy = try Fixtures.copyOfStore("alemar11__CoreDataPlus__SampleModel2_V1.sqlite")
    let store = try PersistentStore.open(at: copy.url)
    let wrong = """
      SELECT Z_PK, ZPAGESCOUNT FROM ZBOOK b \
      WHERE ZPAGESCOUNT IS NOT (SELECT count(*) FROM ZPAGE WHERE ZBOOK = b.Z_PK)
      """
    #expect(try PlainSQL.rows(copy.url, wrong).isEmpty)
    let pages = try #require(store.layout.entity(named: "Page"))
    let books = try PlainSQL.rows(copy.url, "SELECT Z_ENT, Z_PK FROM ZBOOK LIMIT 2").map { row -> ObjectKey in
      guard case .integer(let entity) = row[0], case .integer(let key) = row[1] else {
        return ObjectKey(entity: 0, key: 0)
      }
      return ObjectKey(entity: Int32(entity), key: key)
    }
    let page = try #require(
      PlainSQL.rows(copy.url, "SELECT Z_PK FROM ZPAGE WHERE ZBOOK = \(books[0].key) LIMIT 1").first)
    guard case .integer(let key) = page[0] else {
      Issue.record("\(page)")
      return
    }
    let object = ObjectKey(entity: Int32(pages.number), key: key)
    for book in [books[1], nil, books[0], books[0]] as [ObjectKey?] {
      var changes = ChangeSet()
      changes.updates = [
        .init(
          object: object, version: nil, columns: columns(pages, ["book"]), changedProperties: ["book"],
          source: StoreValuesRow(["book": .object(book)]))
      ]
      _ = try store.save(changes)
      #expect(try PlainSQL.rows(copy.url, wrong).isEmpty)
    }
    var changes = ChangeSet()
    changes.deletions = [.init(object: object, version: nil)]
    #expect(try store.save(changes).affected == [books[0]])
    #expect(try PlainSQL.rows(copy.url, wrong).isEmpty)
  }

  @Test("CD-4: rows of a partial index and of a location index of ours are those that a count finds")
  func indexes() throws {
    let model = ModelDescription(entities: [
      EntityDescription(
        name: "Place",
        properties: [
          FetchTestWorld.attribute("latitude", .double), FetchTestWorld.attribute("longitude", .double),
          FetchTestWorld.attribute("favorite", .boolean),
        ],
        fetchIndexes: [
          FetchIndexDescription(
            name: "byPlace",
            elements: [
              .init(subject: .property("latitude"), kind: .rTree), .init(subject: .property("longitude"), kind: .rTree),
            ]),
          FetchIndexDescription(
            name: "favorites", elements: [.init(subject: .property("latitude"))],
            partialIndexPredicate: "favorite == 1"),
        ])
    ])
    for isReopened in [false, true] {
      let folder = try TemporaryStore()
      var store = try PersistentStore.open(at: folder.url, model: model)
      if isReopened {
        store.close()
        store = try PersistentStore.open(at: folder.url)
      }
      let place = try #require(store.layout.entity(named: "Place"))
      var objects: [ObjectKey] = []
      var random = SplitMix(seed: 217)
      for _ in 0..<8 {
        var changes = ChangeSet()
        func values() -> [String: StoreValue] {
          [
            "latitude": Int.random(in: 0...5, using: &random) == 0
              ? .null : .real(Double.random(in: -80...80, using: &random)),
            "longitude": .real(Double.random(in: -170...170, using: &random)),
            "favorite": .integer(Int64.random(in: 0...1, using: &random)),
          ]
        }
        objects.shuffle(using: &random)
        for object in objects.prefix(3) {
          let values = values().filter { _ in Bool.random(using: &random) }
          changes.updates.append(
            .init(
              object: object, version: nil, columns: columns(place, values.keys.sorted()),
              changedProperties: Array(values.keys),
              source: StoreValuesRow(values: values)))
        }
        if objects.count > 8 { changes.deletions = [.init(object: objects.removeLast(), version: nil)] }
        for _ in 0..<4 {
          let values = values()
          changes.insertions.append(
            .init(
              entity: Int32(place.number), columns: columns(place, values.keys.sorted()),
              source: StoreValuesRow(values: values)))
        }
        objects += try store.save(changes).inserted.map(\.object)
        #expect(try strays(folder.url, "Z_RT_Place_byPlace", "ZPLACE", "ZLATITUDE", "ZLONGITUDE").isEmpty)
        let counts = try PlainSQL.rows(
          folder.url,
          """
          SELECT (SELECT count(*) FROM ZPLACE INDEXED BY Z_Place_favorites WHERE ZFAVORITE = 1), \
          (SELECT count(*) FROM ZPLACE NOT INDEXED WHERE ZFAVORITE = 1)
          """)[0]
        #expect(counts[0] == counts[1])
      }
      #expect(try PlainSQL.rows(folder.url, "PRAGMA integrity_check") == [[.text("ok")]])
    }
  }

  @Test("CD-8: triggers may call what does no harm, and nothing else is vouched for")
  func trust() {
    func isHarmless(_ kind: String, _ sql: String) -> Bool {
      SchemaTrust.isHarmless([Catalogue.Definition(kind: kind, name: "load_extension", table: "T", sql: sql)])
    }
    #expect(isHarmless("table", #"CREATE TABLE "load_extension" ( A VARCHAR(255), PRIMARY KEY (A, B) )"#))
    #expect(isHarmless("index", "CREATE INDEX i ON T (A COLLATE BINARY ASC) WHERE (A = 1 AND (B))"))
    #expect(isHarmless("table", "CREATE VIRTUAL TABLE R USING RTREE (Z_PK INTEGER PRIMARY KEY, A_MIN FLOAT)"))
    let body = "CREATE TRIGGER t AFTER INSERT ON T BEGIN "
    #expect(
      isHarmless(
        "trigger",
        body
          + "UPDATE T SET A = MAX(0,IFNULL(A,0) - 1) WHERE (A); SELECT NSCoreDataTriggerUpdateAffectedObjectValue('T', 1); "
          + "INSERT OR REPLACE INTO T (A) VALUES ('load_extension('); END"))
    for call in [
      "load_extension('x')", "LOAD_EXTENSION ('x')", "\"load_extension\"('x')", "[load_extension] ('x')",
      "`load_extension`/* */('x')", "load_extension -- \n ('x')", "OSD_EXTERNAL_DATA(x'02')",
      "1 JOIN T ON load_extension('x')",
    ] {
      #expect(!isHarmless("trigger", body + "SELECT \(call); END"), "\(call)")
    }
    #expect(!isHarmless("view", "CREATE VIEW v AS SELECT edit('x')"))
    #expect(!isHarmless("index", "CREATE INDEX i ON T (edit(A))"))
    #expect(!isHarmless("table", "CREATE VIRTUAL TABLE F USING fts5(A)"))
  }
}
