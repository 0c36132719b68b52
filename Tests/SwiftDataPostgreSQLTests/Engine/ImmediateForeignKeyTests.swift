import PostgreSQL
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

/// Tables that somebody made by hand have foreign keys that the server checks after each statement.
@Suite("Foreign keys that are not deferrable", TestServer.condition)
struct ImmediateForeignKeyTests {
  /// Its table comes before the one that it refers to.
  @Model final class Box {
    var label: String
    var room: Room
    init(_ label: String, in room: Room) {
      self.label = label
      self.room = room
    }
  }

  @Model final class Room {
    var number: Int
    @Relationship(inverse: \Box.room) var boxes: [Box] = []
    init(_ number: Int) { self.number = number }
  }

  /// Its table comes before the one that refers to it.
  @Model final class Author {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Book {
    var title: String
    var author: Author
    init(_ title: String, by author: Author) {
      self.title = title
      self.author = author
    }
  }

  @Model final class Egg {
    @Relationship(.noInverse) var layer: Hen?
    init() {}
  }

  @Model final class Hen {
    @Relationship(.noInverse) var origin: Egg?
    init() {}
  }

  let store: TravelStore
  let context: ModelContext

  init() throws {
    store = try TravelStore()
    context = ModelContext(
      try ModelContainer(
        for: Box.self, Room.self, Author.self, Book.self, Egg.self, Hen.self, configurations: store.configuration()))
    try store.server.connect().execute(
      """
      DO $$ DECLARE c record; BEGIN
        FOR c IN SELECT conrelid::regclass AS holder, conname FROM pg_constraint
          WHERE contype = 'f' AND connamespace = '\(store.schema)'::regnamespace
        LOOP EXECUTE format('ALTER TABLE %s ALTER CONSTRAINT %I NOT DEFERRABLE', c.holder, c.conname); END LOOP;
      END $$
      """)
  }

  private func labels() throws -> [String] {
    try store.column(
      "SELECT b.label || ' ' || r.number FROM \(store.schema).box b JOIN \(store.schema).room r ON r._id = b.room_id ORDER BY 1"
    )
  }

  @Test("New rows are inserted after the new rows that they refer to, more of them than one statement inserts")
  func insertions() throws {
    let room = Room(1)
    for number in 0..<5000 { context.insert(Box("\(number)", in: room)) }
    context.insert(Box("other", in: Room(2)))
    try context.save()
    #expect(try labels().count == 5001)
  }

  @Test("A row that comes to refer to a new row is updated after the insertion")
  func updates() throws {
    let box = Box("a", in: Room(1))
    context.insert(box)
    try context.save()
    box.room = Room(2)
    box.label = "moved"
    context.insert(Box("b", in: box.room))
    try context.save()
    #expect(try labels() == ["b 2", "moved 2"])
    box.room.number = 3
    try context.save()
    #expect(try labels() == ["b 3", "moved 3"])
  }

  @Test("Rows are deleted before the rows that they refer to")
  func deletions() throws {
    let author = Author("a")
    for title in ["x", "y"] { context.insert(Book(title, by: author)) }
    try context.save()
    context.delete(author)
    try context.save()
    #expect(
      try store.column("SELECT title FROM \(store.schema).book UNION SELECT name FROM \(store.schema).author") == [])
  }

  @Test("Where rows refer to one another, the error names the statement that lets the server check at the end")
  func cycle() throws {
    let (egg, hen) = (Egg(), Hen())
    context.insert(egg)
    context.insert(hen)
    (egg.layer, hen.origin) = (hen, egg)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    let message = "\(try #require(error))"
    #expect(message.contains("DEFERRABLE INITIALLY DEFERRED") && message.contains("nothing was saved"))
    let statement = try #require(
      message.firstRange(of: /ALTER TABLE .* INITIALLY DEFERRED/).map { String(message[$0]) })
    try store.server.connect().execute(statement)
    try context.save()
    #expect(
      try store.column("SELECT 1::text FROM \(store.schema).egg e JOIN \(store.schema).hen h ON h.origin_id = e._id")
        == ["1"])
  }
}
