import CoreDataStore
import DatabaseFiles
import Foundation
import ManagedModel
import SQLite

/// A store read as it is on the disk, as far as possible: for the inspection of stores that may be damaged.
///
/// Reading changes no file and makes none beside the store. A store with pending data in a `-wal` or `-journal`, or
/// with a writer, is copied to a temporary folder. Any other store is read in place, as an immutable file.
struct StoreSnapshot {
  /// `nil` for a store in memory.
  let url: URL?
  let connection: Connection
  /// The folder of big values beside the store's actual file; `nil` for a store in memory.
  let externalData: ExternalDataFolder?
  /// The first 100 bytes, including pending data of the log or journal; `nil` for a store in memory.
  let header: Data?
  /// The damage of tables and indexes, by their names. Rows are read only if it is empty.
  let treeDamage: [String: String]
  /// Tables, indexes and triggers in order of creation.
  let definitions: [Catalogue.Definition]
  let tables: [Identifier: [Column]]
  let metadata: MetadataSnapshot
  /// Rows of `Z_PRIMARYKEY` in order of their numbers.
  let primaryKeys: [KeyRow]
  let model: ModelSnapshot
  /// Whether a program can open the store, with its own model or one of the candidates.
  let canBeOpened: Bool

  /// A column as SQLite parses its definition.
  struct Column: Hashable {
    let name: Identifier
    /// The type, followed by `PRIMARY KEY`, `NOT NULL` and `DEFAULT`.
    let type: String
  }

  /// A row of `Z_PRIMARYKEY`, uninterpreted. A value of another type is `nil`.
  struct KeyRow {
    let number: Int64
    let name: String?
    let superentityNumber: Int64?
    let maximum: Int64?

    var isHistory: Bool { HistoryTables.primaryKeyNames.contains { Int64($0.number) == number } }
    /// Whether the row is of a model's entity, and not of history or mirroring.
    var isEntity: Bool { number < Int64(HistoryTables.changeNumber) }
  }

  /// Reads a store, passes it to `body` and closes it. Repeats this once if the read mixed two states of the store.
  ///
  /// - Parameter candidates: versions of the model for a store without one, the newest last.
  /// - Throws: ``StoreError`` if the file is not a store at all; errors of `body`.
  static func read<Value>(
    _ url: URL, candidates: [ModelDescription] = [], _ body: (StoreSnapshot) throws -> Value
  ) throws -> Value {
    let file = try StoreFile(url)
    guard file.exists else { throw StoreError(path: file.path, .missing) }
    let value = try file.inPlace {
      try file.checkHeader()
      return try read(file, at: file.resolvedPath, mode: .immutable, candidates, body)
    }
    if let value { return value }
    try file.checkHeader()
    let copy = try file.copy()
    return try withExtendedLifetime(copy) {
      try read(file, at: copy.path, mode: .readWrite, candidates, body)
    }
  }

  private static func read<Value>(
    _ file: StoreFile, at path: String, mode: OpenMode, _ candidates: [ModelDescription],
    _ body: (StoreSnapshot) throws -> Value
  ) throws -> Value {
    do {
      let connection = try Connection(path: path, mode: mode)
      defer { connection.close() }
      if mode != .immutable {
        // The pragma reads the schema, whose b-tree may be cyclic.
        _ = try BTreeValidator(connection)
        _ = try connection.pragma("wal_checkpoint(TRUNCATE)")
      }
      let snapshot = try StoreSnapshot(
        connection, url: URL(fileURLWithPath: file.path),
        externalData: ExternalDataFolder(storePath: file.resolvedPath),
        header: try connection.fileBytes(at: 0, count: 100),
        candidates: candidates)
      return try body(snapshot)
    } catch let error as SQLiteError {
      throw StoreError(path: file.path, error)
    }
  }

  /// - Parameter validatesTrees: `false` if the b-trees are known to be sound.
  /// - Throws: ``StoreError`` for a database without the tables and columns that make it a store, `SQLiteError`.
  init(
    _ connection: Connection, url: URL? = nil, externalData: ExternalDataFolder? = nil, header: Data? = nil,
    candidates: [ModelDescription] = [], validatesTrees: Bool = true
  ) throws {
    self.connection = connection
    self.externalData = externalData
    self.url = url
    self.header = header
    treeDamage = validatesTrees ? try BTreeValidator(connection).damage : [:]
    try StoreSnapshot.require(treeDamage.filter { $0.key.uppercased().hasPrefix("Z_") })
    definitions = try Catalogue.definitions(connection)
    let tables = try StoreSnapshot.columns(definitions, connection)
    self.tables = tables
    try StoreLayout.requireBookkeeping(in: tables.mapValues { $0.map(\.name) }, path: url?.path)
    metadata = try MetadataSnapshot(connection)
    primaryKeys = try StoreSnapshot.keyRows(connection)
    let catalogue = Catalogue(columns: tables.mapValues { $0.map(\.name) }, definitions: definitions)
    let numbers = Dictionary(
      // An impossible number is ignored: the entity gets the number of its position.
      primaryKeys.filter { $0.isEntity && $0.number > 0 }.compactMap { row in row.name.map { ($0, Int(row.number)) } },
      uniquingKeysWith: { first, _ in first })
    model = ModelSnapshot(
      archive: Result { try ModelCache.data(in: connection, catalogue) }, catalogue: catalogue, numbers: numbers,
      hashes: metadata.hashes, candidates: candidates)
    canBeOpened = PersistentStore.canOpen(connection, candidates: candidates)
  }

  /// - Throws: `SQLiteError` for the first of these tables.
  static func require(_ damage: [String: String]) throws {
    guard let (name, problem) = damage.min(by: { $0.key < $1.key }) else { return }
    throw SQLiteError(extendedCode: ResultCode.corrupt.rawValue, message: "\(name) \(problem)")
  }

  /// A table whose definition SQLite cannot parse has no columns.
  private static func columns(
    _ definitions: [Catalogue.Definition], _ connection: Connection
  ) throws -> [Identifier: [Column]] {
    var result: [Identifier: [Column]] = [:]
    let info = try connection.prepare(
      #"SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?) ORDER BY cid"#)
    for definition in definitions where definition.kind == "table" {
      info.reset()
      try info.bind(definition.name, at: 1)
      var columns: [Column] = []
      do {
        while try info.step() {
          var type = info.text(1) ?? ""
          if info.integer(4) > 0, type.uppercased() == "INTEGER", columns.isEmpty { type += " PRIMARY KEY" }
          if info.integer(2) != 0 { type += " NOT NULL" }
          if let value = info.text(3) { type += " DEFAULT " + value }
          columns.append(Column(name: Identifier(info.text(0) ?? ""), type: type))
        }
      } catch is SQLiteError { columns = [] }
      result[Identifier(definition.name)] = columns
    }
    return result
  }

  private static func keyRows(_ connection: Connection) throws -> [KeyRow] {
    let all = try connection.prepare("SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT")
    var rows: [KeyRow] = []
    while try all.step() {
      func number(_ column: Int) -> Int64? { all.type(column) == .integer ? all.integer(column) : nil }
      rows.append(
        KeyRow(
          number: all.integer(0), name: all.text(1), superentityNumber: number(2), maximum: number(3)))
    }
    return rows
  }

  /// Whether the table has all these columns.
  func has(_ table: Identifier, _ columns: Identifier...) -> Bool { has(table, columns) }

  func has(_ table: Identifier, _ columns: [Identifier]) -> Bool {
    guard let found = tables[table] else { return false }
    return columns.allSatisfy { name in found.contains { $0.name == name } }
  }

  func columnNames(_ table: Identifier) -> [Identifier] { tables[table]?.map(\.name) ?? [] }
}
