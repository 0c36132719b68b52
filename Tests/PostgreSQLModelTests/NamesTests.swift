import Testing

@testable import PostgreSQLModel

@Suite("Names and constants of a database's model")
struct NamesTests {
  @Test(
    "A table's name changes only if the store's rule gives it back",
    arguments: [
      ("book", "Book"), ("book_cover", "BookCover"), ("Book", "Book"), ("line_2", "line_2"), ("books", "Books"),
      ("a__b", "a__b"),
      ("straße", "Straße"), ("ßx", "ßx"), ("", ""),
    ])
  func entities(table: String, expected: String) { #expect(ModelNames.entity(table) == expected) }

  @Test(
    "A foreign key's column loses its ending",
    arguments: [
      ("author_id", "id", "author"), ("first_author_id", "key", "firstAuthor"), ("_id", "id", "_id"),
      ("author", "id", "author"),
      ("id", "id", "id"), ("country_code", "code", "country"), ("code", "code", "code"),
      ("authorId", "id", "author"), ("AuthorID", "ID", "author"), ("countryCode", "code", "country"),
      ("Id", "id", "Id"), ("grid", "id", "grid"), ("GRID", "ID", "GRID"),
    ])
  func relationships(column: String, key: String, expected: String) {
    #expect(ModelNames.toOne(column, key: key) == expected)
  }

  @Test(
    "A to-many relationship is named in the plural",
    arguments: [
      ("book", "books"), ("category", "categories"), ("day", "days"), ("box", "boxes"), ("branch", "branches"),
      ("books", "books"),
      ("日本", "日本"),
    ])
  func plurals(name: String, expected: String) { #expect(ModelNames.toMany(name) == expected) }

  @Test("Constants are understood in the forms that the server prints; all else is no constant")
  func constants() {
    let cases: [(String, ConstantExpression?)] = [
      ("0", .number("0")), ("(-5)", .number("-5")), ("'-5'::integer", .text("-5")), ("true", .boolean(true)),
      ("NULL::character varying", .null), ("'it''s'::text", .text("it's")),
      ("('a'::character varying)::text", .text("a")),
      ("'x'::\"odd \"\"type\"\"\"", .text("x")), ("'x'::numeric(10,2)", .text("x")), ("'a'::public.mood", .text("a")),
      ("now()", nil), ("nextval('s'::regclass)", nil), ("'a'::text || 'b'::text", nil), ("('a'::text IS NULL)", nil),
      ("1 + 1", nil), ("trueish()", nil), ("'open", nil), ("", nil), ("(((", nil),
      (String(repeating: "(", count: 100_000), nil),
      ("'2020-01-01'::timestamp with time zone", .text("2020-01-01")), ("'a'::text AT TIME ZONE 'UTC'::text", nil),
      ("--1", .number("--1")),
    ]
    for (text, expected) in cases { #expect(ConstantExpression(text) == expected, "\(text)") }
  }

  @Test(
    "Dates are understood in the server's ISO form",
    arguments: [
      ("2001-01-01", 0.0), ("2001-01-01 00:00:01.5+00", 1.5), ("2024-02-29 12:00:00", 730_900_800),
      ("0044-03-15 BC", nil), ("infinity", nil),
      ("2020-01-01 00:00:00+02", nil), ("12020-01-01", nil), ("x", nil), ("1970-01-01 00:00:00+00", -978_307_200),
    ] as [(String, Double?)])
  func dates(text: String, expected: Double?) { #expect(CalendarText.seconds(text) == expected) }
}
