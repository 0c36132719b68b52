import ErrorReporting
package import ManagedModel
package import PostgreSQL
import PostgreSQLStore

/// The model of a database's schema: the models that a SwiftData store records, or a model of tables that another program made.
package struct DatabaseModel: Sendable {
  /// The schema's name; the database's name for the schema `public`.
  package let name: String
  /// The arguments that name the schema on the command line of `generate-models`, the same on every machine: without host, user and
  /// password.
  package let source: String
  /// The oldest version first; at least one. Tables of another program have one version.
  package let versions: [ModelDescription]
  /// Whether a SwiftData store made the tables.
  package let isStore: Bool
  package let notes: [DatabaseNote]

  /// Reads the model of a schema in one read-only transaction. Of all rows, reads only the records that a store keeps of itself.
  ///
  /// - Throws: ``DatabaseModelProblem`` for a schema that does not exist or has no tables; ``PostgreSQLError``; the problems of a store
  ///   that cannot be read.
  package static func read(_ address: ServerAddress, schema: String, deadline: Int = 10) throws -> DatabaseModel {
    // A pooler may share the sessions.
    let connection = try Connection(address, deadline: deadline, preparesStatements: false)
    return try connection.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") {
      let reader = CatalogueReader(connection: connection, schema: schema)
      try reader.checkServer()
      try reader.prepare()
      let database = try reader.databaseName()
      try reader.checkSchema(database: database)
      let name = schema == "public" ? database : schema
      let source = Self.source(database: database, schema: schema)
      if let stored = try StoredModels.read(connection, schema: schema), !stored.models.isEmpty {
        return DatabaseModel(
          name: name, source: source, versions: stored.models.map { withRawValues(withoutConfigurations($0)) },
          isStore: true, notes: Self.notes(on: stored.naming, schema: schema))
      }
      let catalogue = try reader.read()
      guard !catalogue.tables.isEmpty else {
        throw DatabaseModelProblem(
          "\(address): the schema \(quoted(schema)) has no tables",
          remedy: try reader.remedyNamingSchemas(with: "name the schema with --schema"))
      }
      var builder = ModelBuilder(catalogue)
      let model = builder.build()
      return DatabaseModel(name: name, source: source, versions: [model], isStore: false, notes: builder.notes)
    }
  }

  /// A store records the configurations of the program that made it. A function for one would give the place of a file.
  private static func withoutConfigurations(_ model: ModelDescription) -> ModelDescription {
    var model = model
    model.configurations = []
    return model
  }

  /// Makes each array of an enumeration an array of its raw values. The store's record has nothing of the enumeration but its name.
  private static func withRawValues(_ model: ModelDescription) -> ModelDescription {
    model.mappingAttributes { attribute, _ in
      var attribute = attribute
      let named = attribute.valueClassName.flatMap { AttributeContents(collectionNamed: $0) }
      if named != attribute.contents, let name = attribute.contents?.plainArrayName { attribute.valueClassName = name }
      return attribute
    }
  }

  /// Writes the database's name with escapes of URLs, and the schema's name as one word of a shell.
  private static func source(database: String, schema: String) -> String {
    let address = "postgresql:///" + database.utf8.map(escaped).joined()
    if schema == "public" { return address }
    let isPlain = schema.utf8.allSatisfy { escaped($0).utf8.count == 1 }
    // By scalars: a quotation mark and a combining mark after it are one character.
    let inMarks = schema.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined()
    let word = isPlain ? schema : onOneLine("'\(inMarks)'")
    return "\(address) --schema \(word)"
  }

  /// A byte of a URL: itself, or `%` and two digits.
  private static func escaped(_ byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "~"):
      String(UnicodeScalar(byte))
    default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
  }

  /// The part of a configuration that opens the store and that the classes do not tell.
  private static func notes(on naming: NamingRule, schema: String) -> [DatabaseNote] {
    var arguments: [String] = []
    if schema != "public" { arguments.append("databaseSchema: \(quoted(schema))") }
    if naming != .snakeCase { arguments.append("naming: .\(naming.rawValue)") }
    guard !arguments.isEmpty else { return [] }
    return [
      DatabaseNote(
        severity: .note, table: nil, column: nil,
        problem: "the classes open this store with a configuration that has \(arguments.joined(separator: " and "))",
        remedy: nil)
    ]
  }
}

/// The reason why a schema has no model.
package struct DatabaseModelProblem: ReportableError, Sendable, Hashable {
  package let problem: String
  package let remedy: String?

  init(_ problem: String, remedy: String?) {
    self.problem = problem
    self.remedy = remedy
  }
}
