import Testing

@testable import ToolConsole

@Suite("Addresses of databases on a command line")
struct AddressWordsTests {
  @Test(
    "A word with the scheme of a URL is an address, not a path that messages show",
    arguments: [
      ("postgresql://app@db/library", true), ("postgres:///library", true), ("Postgresql://app:secret@db/x", true),
      ("postgresql+asyncpg://app:secret@db/x", true), ("mysql://app:secret@db/x", true), ("file:///a/b.store", false),
      ("FILE:///b", false), ("://x", false), ("/a/b.store", false), ("a/postgresql://x", false), ("", false),
      ("host=db dbname=library password=secret", true), ("password = 'a b'", true), (" service=library", true),
      ("dbname=postgresql://app@db/library", true), ("PGPASSWORD=secret", false), ("./host=db", false),
      ("host", false), ("hosts=db", false), ("a.store host=db", false),
    ])
  func addresses(word: String, expected: Bool) { #expect(DatabaseAddress.isAddress(word) == expected) }

  @Test("A message about a command line loses all of an address by keywords but its first keyword")
  func hiddenKeywords() {
    let message =
      "Unexpected argument 'host=db password=secret' after '--to=user=app password=other' and 'password=third', --schema=a=b"
    let arguments = [
      "copy", "host=db password=secret", "--to=user=app password=other", "password=third", "--schema=a=b",
    ]
    #expect(
      DatabaseAddress.hidingAddresses(in: message, of: arguments)
        == "Unexpected argument 'host=…' after '--to=user=…' and 'password=…', --schema=a=b")
  }

  @Test("A message about a command line loses all of an address but its scheme")
  func hidden() {
    let message =
      "Unexpected argument 'mysql://app:secret@db/x' after '--to=Postgres://app:secret@db' and "
      + "'file:///a' and 'file:///b,pg://app:secret@db'"
    let arguments = [
      "copy", "mysql://app:secret@db/x", "--to=Postgres://app:secret@db", "file:///a", "file:///b,pg://app:secret@db",
    ]
    #expect(
      DatabaseAddress.hidingAddresses(in: message, of: arguments)
        == "Unexpected argument 'mysql://…' after '--to=Postgres://…' and 'file:///a' and 'file:///b,pg://…'")
  }
}
