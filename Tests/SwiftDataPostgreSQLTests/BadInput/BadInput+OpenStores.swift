import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import SwiftDataPostgreSQL

@testable import PostgreSQLStore
@testable import SwiftData

extension BadInput {
  private static let undo = "if somebody has changed the table, undo the change"

  /// What somebody does to the tables or the connections of a store that is open.
  static let openStores: [BadInput] = [
    BadInput(
      "a fetch after a column was dropped", cause: ["title", "does not exist", "42703", "while executing SELECT"],
      remedy: undo
    ) { world in
      let context = try world.context()
      try world.fetch(context)
      try world.execute("ALTER TABLE \(world.schema).book DROP COLUMN title")
      try world.fetch(context)
    },
    BadInput(
      "a save after a column was dropped", cause: ["“title” of relation “book” does not exist", "42703"], remedy: undo
    ) { world in
      let context = try world.context()
      try world.execute("ALTER TABLE \(world.schema).book DROP COLUMN title")
      try world.save(context)
    },
    BadInput(
      "a fetch after a column got another type", cause: ["cached plan must not change result type", "0A000"],
      remedy: undo
    ) { world in
      let context = try world.context()
      // The server prepares the statement when it runs for the second time.
      for _ in 0..<2 { try world.fetch(context) }
      try world.execute("ALTER TABLE \(world.schema).book DROP COLUMN pages, ADD COLUMN pages boolean")
      try world.fetch(context)
    },
    BadInput(
      "a save after a column got another type", cause: ["“pages” is of type boolean", "42804"], remedy: undo
    ) { world in
      let context = try world.context()
      try world.execute("ALTER TABLE \(world.schema).book DROP COLUMN pages, ADD COLUMN pages boolean")
      try world.save(context)
    },
    BadInput(
      "a fetch after a table was dropped", cause: ["book” does not exist", "42P01"], remedy: undo
    ) { world in
      let context = try world.context()
      try world.fetch(context)
      try world.execute("DROP TABLE \(world.schema).book CASCADE")
      try world.fetch(context)
    },
    BadInput(
      "a save after a required column was added", cause: ["“shelf”", "null value", "23502"],
      remedy: "if somebody has added a required column to the table, give it a default, or drop it"
    ) { world in
      let context = try world.context()
      try world.execute("ALTER TABLE \(world.schema).book ADD COLUMN shelf text NOT NULL DEFAULT ''")
      try world.execute("ALTER TABLE \(world.schema).book ALTER COLUMN shelf DROP DEFAULT")
      try world.save(context)
    },
    BadInput(
      "a fetch of a table that another program locks", cause: ["lock timeout", "55P03"],
      remedy: "try again: another transaction holds the rows, or raise the server's lock_timeout"
    ) { world in
      _ = try world.context()
      let context = ModelContext(try world.open(world.address() + "&options=-c%20lock_timeout%3D50"))
      let other = try world.server.connect()
      try other.execute("BEGIN; LOCK TABLE \(world.schema).book IN ACCESS EXCLUSIVE MODE")
      try withExtendedLifetime(other) { try world.fetch(context) }
    },
    BadInput(
      "a fetch while all connections are in use",
      cause: ["all 2 connections are in use", "none became free in time (1.0 seconds)"],
      remedy: "allow more connections (connectionLimit), or a longer wait (deadline), in the configuration"
    ) { world in
      let context = try world.context()
      guard let engine = context.container.core.stores[0].engine as? ServerStore else { return }
      try engine.pool.withConnection { _ in
        try engine.pool.withConnection { _ in try world.fetch(context) }
      }
    },
  ]
}
