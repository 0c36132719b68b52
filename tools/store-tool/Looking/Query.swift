import ArgumentParser
import CoreDataStore
import ErrorReporting
import Foundation
import StoreExchange
import ToolConsole

/// `store-tool sql STORE "SELECT …"`
struct Query: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "sql",
    abstract: "Runs one SELECT on a store.",
    discussion: """
      Each entity is a table with the entity's name, each property a column. The column id is an object's key (_id if \
      the entity has an attribute id). A to-one relationship is the key of its object. A many-to-many relationship and \
      its inverse are one table, such as Author_books with the columns Author and books, the keys of the two objects. Its name \
      is that of the side whose entity has subentities; if both have some or none, of the entity that inspect lists first. The table of an entity with subentities has their objects too, and a column entity. \
      An element of a composite is a column attribute_element. Dates are in ISO 8601, UUIDs are strings, archived values \
      JSON. The store's own tables are available too; of a store without a model, only they are.

      EXAMPLES
        store-tool sql Library.sqlite 'SELECT title FROM Book ORDER BY title'
        store-tool sql Library.sqlite \\
          'SELECT familyName, count(*) AS books FROM Author
             JOIN Author_books ON Author_books.Author = Author.id
             GROUP BY Author.id'
        store-tool sql Library.sqlite --csv < query.sql > result.csv
        store-tool sql Library.sqlite \\
          'SELECT name, sql FROM temp.sqlite_master'

      EXIT CODES
        0    done
        2    the statement is wrong or would write, or the store cannot be opened
        130  interrupted
      """)

  @OptionGroup var arguments: StoreArguments
  @Argument(help: "One SELECT; - or nothing for standard input.") var statement: String = "-"
  @Flag(help: "Print JSON: a list of objects.") var json = false
  @Flag(help: "Print comma-separated values (RFC 4180).") var csv = false

  func validate() throws {
    if json, csv { throw ValidationError("--csv cannot be combined with --json: leave one out.") }
  }

  func perform() throws {
    let sql = try self.sql()
    let store = try arguments.openTables()
    defer { store.close() }
    let query = try StoreQuery(sql, on: store)
    Console.report(
      query.renamings.map {
        Message(
          severity: .note, file: arguments.store, line: nil,
          problem: "\(onOneLine($0.what)) is called \(onOneLine($0.name)) here, as its own name is taken")
      })
    let columns = query.columns
    let output: any RowOutput =
      if json { JSONRows(columns) } else if csv { CSVRows(columns) } else { TableRows(columns) }
    try Interruption.shared.during {
      try Progress.shared.during("asking") {
        while let row = try query.next() {
          try output.write(row)
          Progress.shared.advance()
          try Interruption.shared.check()
        }
        try output.finish()
      }
    } on: { [interruption = query.interruption] in
      interruption()
    }
    report(query.repairedTexts, of: arguments.store)
  }

  /// The greatest length of a statement from standard input, in bytes.
  private static let longest = 1 << 20

  private func sql() throws -> String {
    guard statement == "-" else { return statement }
    let data: Data
    do { data = try FileHandle.standardInput.read(upToCount: Self.longest + 1) ?? Data() } catch {
      throw Failure.ofStandardInput(error)
    }
    guard data.count <= Self.longest else {
      throw Failure([
        Message(
          severity: .error, file: "standard input", line: nil,
          problem: "the statement is longer than \(Self.longest) bytes", remedy: "give one SELECT")
      ])
    }
    guard let text = String(data: data, encoding: .utf8), !text.allSatisfy(\.isWhitespace) else {
      throw Failure([
        Message(
          severity: .error, file: "standard input", line: nil, problem: "there is no statement in UTF-8",
          remedy: "give one SELECT")
      ])
    }
    return text
  }
}
