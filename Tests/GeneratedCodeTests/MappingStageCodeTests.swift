import Foundation
import SQLite
import TestSupport
import Testing

/// A real store through the stages that `generate-models` makes of real mapping models, with `OPENSWIFTDATA_FULL_TESTS`
/// set: the compiler takes half a minute.
@Suite(
  "Generated stages of real mapping models", .serialized,
  .enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"),
  .enabled(if: FullTests.areWanted, "\(FullTests.explanation)"),
  .enabled(if: BuildProducts.shared != nil, "\(BuildProducts.explanation)"))
struct MappingStageCodeTests {
  /// A project's folder: the bundle with the mapping models beside it.
  private func project(_ name: String, in folder: URL) throws {
    let manager = FileManager.default
    for kind in ["models", "mappings"] {
      let source = Fixtures.url("\(kind)/\(name)")
      for entry in try manager.contentsOfDirectory(atPath: source.path) where !entry.hasSuffix(".sqlite") {
        try manager.copyItem(at: source.appendingPathComponent(entry), to: folder.appendingPathComponent(entry))
      }
    }
  }

  /// Replaces the body of a generated function.
  private func write(_ function: String, _ body: String, in file: URL) throws {
    let text = try String(contentsOf: file, encoding: .utf8)
    let start = try #require(text.range(of: "private static func \(function)("))
    let opening = try #require(text.range(of: ") throws {\n", range: start.upperBound..<text.endIndex))
    let end = try #require(text.range(of: "\n  }\n", range: opening.upperBound..<text.endIndex))
    let written = text[..<opening.upperBound] + body + text[end.lowerBound...]
    try Data(written.utf8).write(to: file)
  }

  @Test("The store of BookMigration's first version arrives at the third with its rows, by generated code")
  func bookMigration() async throws {
    let store = try TemporaryStore()
    try project("hwaxxer__BookMigration", in: store.folder)
    let model = store.folder.appendingPathComponent("Model.xcdatamodeld")
    let compiled = try await CompiledModel(model, with: #require(BuildProducts.shared)) { sources in
      let first = sources.appendingPathComponent("ModelMigrationPlan+migrateV1toV2.swift")
      try write(
        "mhwBookToBookPolicy",
        """
            guard let name = row.authorName else { return }
            let found = try context.fetch(FetchDescriptor<ModelSchemaV2.Author>()).first { $0.name == name }
            let author = found ?? ModelSchemaV2.Author(name: name)
            if found == nil { context.insert(author) }
            object.authors = [author]
        """, in: first)
      let second = sources.appendingPathComponent("ModelMigrationPlan+migrateV2toV3.swift")
      try write(
        "mhwBookToBookPolicy",
        """
            let file = ModelSchemaV3.File(fileURL: row.fileURL)
            context.insert(file)
            file.book = object
            file.user = row.users.first.flatMap { context.model(for: $0) as? ModelSchemaV3.User }
        """, in: second)
      try write("mhwUserToUserPolicy", "    // The files are linked where they are made.", in: second)
    }
    let url = store.folder.appendingPathComponent("Model1.sqlite")
    try FileManager.default.copyItem(at: Fixtures.url("mappings/hwaxxer__BookMigration/Model1.sqlite"), to: url)
    try await compiled.migrate(url)

    let rows = try await compiled.read(url, schema: "ModelSchemaV3").objects
    #expect(rows.mapValues(\.count) == ["Author": 3, "Book": 4, "File": 4, "User": 3])
    func name(_ object: ReadObject) -> String? {
      guard case .text(let bytes)? = rows[object.entity]?[object.key]?["name"] else { return nil }
      return String(decoding: bytes, as: UTF8.self)
    }
    let authors = (rows["Book"] ?? [:]).sorted { $0.key < $1.key }.map { book in
      if case .objects(let authors)? = book.value["authors"] { authors.compactMap(name) } else { [String]() }
    }
    #expect(authors == [["Franz Kafka"], ["Witold Gombrowicz"], ["Franz Kafka"], ["Thomas Bernhard"]])
    let connection = try Connection(path: url.path, mode: .readOnly)
    defer { connection.close() }
    let books = try connection.text(
      """
      SELECT group_concat(line, '; ') FROM (
        SELECT b.ZTITLE || ' / ' || count(f.Z_PK) || ' / ' || min(f.ZUSER) || ' / ' || length(f.ZFILEURL) AS line
        FROM ZBOOK b JOIN ZFILE f ON f.ZBOOK = b.Z_PK GROUP BY b.Z_PK ORDER BY b.ZTITLE)
      """)
    #expect(
      books == "Cosmos / 1 / 3 / 149; Extinction / 1 / 3 / 155; Metamorphosis / 1 / 3 / 158; The Trial / 1 / 3 / 152")
  }
}
