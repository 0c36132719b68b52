import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import Testing

/// Something that a store cannot be opened, read or written with, and the words of the error.
struct BadInput: Sendable, CustomTestStringConvertible {
  let name: String
  /// The database and the host in the message; `nil` for those of the tests' server.
  var place: String?
  /// Parts of the message: the cause, with the name of what is wrong.
  let cause: [String]
  /// The beginning of the way out.
  let remedy: String
  /// Spoils what the case is about, and runs the request that fails.
  let run: @Sendable (BadInputWorld) throws -> Void

  var testDescription: String { name }

  init(
    _ name: String, place: String? = nil, cause: [String], remedy: String,
    run: @escaping @Sendable (BadInputWorld) throws -> Void
  ) {
    self.name = name
    self.place = place
    self.cause = cause
    self.remedy = remedy
    self.run = run
  }
}

extension BadInput {
  /// Connections that the server refuses, or that lead to none.
  static let connections: [BadInput] = [
    BadInput(
      "a port that nobody listens to", place: "database library on 127.0.0.1:1 as app", cause: ["refused"],
      remedy: "check that the server runs and that the address is right"
    ) { try $0.open("postgresql://app:\(BadInputWorld.password)@127.0.0.1:1/library") },
    BadInput(
      "a folder without a server's socket", place: "database library on /tmp/no-such-folder as app",
      cause: ["No such file or directory"], remedy: "check that the server runs and that the address is right"
    ) { try $0.open("host=/tmp/no-such-folder user=app password=\(BadInputWorld.password) dbname=library") },
    BadInput(
      "an unknown database", place: "database nowhere on /", cause: ["“nowhere”", "does not exist"],
      remedy: "create the database, or correct its name in the address"
    ) { try $0.open($0.address(database: "nowhere")) },
    BadInput(
      "an unknown database whose name has the word role", place: "database no_role on /",
      cause: ["“no_role”", "does not exist"], remedy: "create the database, or correct its name in the address"
    ) { try $0.open($0.address(database: "no_role")) },
    BadInput(
      "an unknown user", cause: ["“stranger”", "does not exist", "as stranger"],
      remedy: "check the user's name and password"
    ) { try $0.open($0.address(user: "stranger")) },
    BadInput(
      "a user who may not log in", cause: ["is not permitted to log in"], remedy: "check the user's name and password"
    ) { world in
      try world.execute("CREATE ROLE \(Identifier(world.schema)) NOLOGIN")
      try world.open(world.address(user: world.schema))
    },
    BadInput(
      "a user who may not connect to the database", place: "database s_", cause: ["permission denied for database"],
      remedy: "grant the user the right to do this"
    ) { world in
      try world.makeUser()
      try world.server.withDatabase(world.schema) {
        try world.execute("REVOKE CONNECT ON DATABASE \(Identifier(world.schema)) FROM PUBLIC")
        try world.open(world.address(database: world.schema, user: world.schema))
      }
    },
  ]

  /// Schemas whose tables are not those of the store.
  static let tables: [BadInput] = [
    BadInput(
      "a user who may not read the tables", cause: ["permission denied for table"],
      remedy: "grant the user the rights that a program needs: USAGE on the schema “s_"
    ) { world in
      try world.open()
      try world.makeUser()
      try world.execute("GRANT USAGE ON SCHEMA \(world.schema) TO \(world.schema)")
      try world.open(world.address(user: world.schema))
    },
    BadInput(
      "a schema in which the user may make no tables", cause: ["permission denied for schema"],
      remedy: "let an administrator run GRANT USAGE, CREATE ON SCHEMA \"s_"
    ) { world in
      try world.makeUser()
      try world.execute("CREATE SCHEMA \(world.schema); GRANT USAGE ON SCHEMA \(world.schema) TO \(world.schema)")
      try world.open(world.address(user: world.schema))
    },
    BadInput(
      "a schema that the user may not make", cause: ["permission denied for database"],
      remedy: "let an administrator make the schema: CREATE SCHEMA \"s_"
    ) { world in
      try world.makeUser()
      try world.open(world.address(user: world.schema))
    },
    BadInput(
      "a schema with a type of the name of a table", cause: ["already has a type “book”"],
      remedy: "choose another schema, or rename the type"
    ) { world in
      try world.execute("CREATE SCHEMA \(world.schema); CREATE TYPE \(world.schema).book AS ENUM ('a')")
      try world.open()
    },
    BadInput(
      "a key column without its identity", cause: ["the column “_id” of the table “book” gives no keys"],
      remedy: "make it one again: ALTER TABLE"
    ) { world in
      try world.open()
      try world.execute("ALTER TABLE \(world.schema).book ALTER COLUMN _id DROP IDENTITY")
      try world.open()
    },
    BadInput(
      "a schema with a table of another program", cause: ["already has a table “book”", "no SwiftData store made"],
      remedy: "choose another schema, or rename the table"
    ) { world in
      try world.execute("CREATE SCHEMA \(world.schema); CREATE TABLE \(world.schema).book (id int)")
      try world.open()
    },
    BadInput(
      "a table without one of its columns", cause: ["the table “book” has no column “title”"],
      remedy: "undo the change of the table"
    ) { world in
      try world.open()
      try world.execute("ALTER TABLE \(world.schema).book DROP COLUMN title")
      try world.open()
    },
    BadInput(
      "a column of another type", cause: ["the column “pages” of the table “book” is not of the type bigint"],
      remedy: "undo the change of the table"
    ) { world in
      try world.open()
      try world.execute("ALTER TABLE \(world.schema).book DROP COLUMN pages, ADD COLUMN pages text")
      try world.open()
    },
    BadInput(
      "a store without one of its tables", cause: ["the table “book” is missing"], remedy: "restore it from a backup"
    ) { world in
      try world.open()
      try world.execute("DROP TABLE \(world.schema).book CASCADE")
      try world.open()
    },
    BadInput(
      "a history without one of its columns", cause: ["the table “_store_changes” has no column “properties”"],
      remedy: "undo the change of the table"
    ) { world in
      try world.open()
      try world.execute("ALTER TABLE \(world.schema)._store_changes DROP COLUMN properties")
      try world.open()
    },
    BadInput(
      "a store without the row about itself", cause: ["_store", "has not exactly one row"],
      remedy: "restore the database from a copy"
    ) { world in
      try world.open()
      try world.execute("DELETE FROM \(world.schema)._store")
      try world.open()
    },
    BadInput(
      "a name of a schema with a NUL", cause: ["the schema “s\\u{0}x”", "NUL character"], remedy: "choose a name"
    ) { try $0.open(schema: "s\0x") },
  ]
}
