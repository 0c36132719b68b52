import ErrorReporting
import PostgreSQL
import StoreRequests

/// The columns that a save writes in the rows of an entity.
struct RowShape: Hashable {
  let entity: Int32
  let columns: [ColumnSelection]

  func hash(into hasher: inout Hasher) {
    // Rows of one shape mostly share one array, which equality knows at once; so the names are not read here for each row.
    hasher.combine(entity)
    hasher.combine(columns.count)
    hasher.combine(columns.first?.propertyName)
  }
}

/// Rows of one shape, gathered for one statement.
final class RowGroup {
  let entity: StoreEntity
  let columns: [ColumnSelection]
  /// The columns of the values that a source binds.
  let places: [ColumnLayout?]
  let table: TableLayout
  private let sink: ColumnSink
  private var computed: ComputedColumns
  private(set) var keys = ParameterArray(.integer64)
  private(set) var versions = ParameterArray(.integer64)
  /// The keys, in their order.
  private(set) var keyList: [Int64] = []

  /// One statement carries at most this many rows, and ends with the row that exceeds this many bytes.
  static let limit = 4096
  static let byteLimit = 8 << 20

  /// - Parameter writesDerived: see ``StoreLayout/columns(_:of:writesDerived:)``.
  init(_ shape: RowShape, in layout: StoreLayout, writesDerived: Bool = false) throws {
    entity = try layout.existingEntity(shape.entity)
    columns = shape.columns
    table = layout.table(of: entity)
    places = try layout.columns(shape.columns, of: entity, writesDerived: writesDerived)
    computed = ComputedColumns(writesDerived ? [] : layout.rowDerivations(of: entity), beside: places)
    sink = ColumnSink(places)
  }

  var isFull: Bool { keyList.count >= Self.limit || sink.byteCount >= Self.byteLimit }

  /// The written columns, in the order of the parameters.
  var written: [ColumnLayout] { places.compactMap(\.self) + computed.columns }

  /// Adds a row.
  ///
  /// - Parameter version: the version that the row must have; `nil` for any version.
  func add(_ key: Int64, version: Int64? = nil, _ source: any RowSource) throws {
    keys.append { BinaryForm.append(key, to: &$0) }
    if let version { versions.append { BinaryForm.append(version, to: &$0) } } else { versions.appendNull() }
    keyList.append(key)
    try RowBinder.bind(source, columns, to: sink, width: places.count, entity: entity)
    computed.add { sink.last($0) }
  }

  /// The values of ``written``.
  private var values: [ColumnValues] { sink.columns + computed.values }

  var parameters: [Parameter] { values.flatMap(\.parameters) }

  /// How a statement whose parameters begin with others reads the values.
  func unnested(from first: Int) -> UnnestedColumns { UnnestedColumns(values, from: first) }

  /// Writes the rows as new ones, by one statement, and runs a closure while the server works.
  ///
  /// - Throws: the closure's error; ``StoreProblem`` if the server has not written each of them, which a trigger of the database may prevent.
  func insert<Value>(over connection: Connection, while body: () throws -> Value) throws -> Value {
    let columns = [TableLayout.key] + (table.hasKinds ? [TableLayout.kind] : []) + written.map(\.name)
    let unnested = unnested(from: 2)
    let values = ["s.k"] + (table.hasKinds ? [sqlLiteral(entity.name)] : []) + unnested.values
    let list = (["k"] + unnested.names).joined(separator: ", ")
    let arrays = (["$1::bigint[]"] + unnested.arrays).joined(separator: ", ")
    let (result, value) = try connection.run(
      "INSERT INTO \(table.sql) (\(columns.map { "\($0)" }.joined(separator: ", "))) "
        + "SELECT \(values.joined(separator: ", ")) FROM unnest(\(arrays)) s(\(list))",
      [keys.parameter] + parameters, while: body)
    guard result.affectedCount == keyList.count else {
      throw StoreProblem(
        "\(keyList.count - result.affectedCount) of \(keyList.count) new rows of entity \(quoted(entity.name)) were not written to the table \(quoted(table.name.name)) — nothing was saved",
        remedy: "let the triggers and rules of this table keep new rows")
    }
    return value
  }
}

extension RowBinder {
  /// See ``RowBinder/bind(_:_:to:width:entityName:names:)``.
  static func bind(
    _ source: any RowSource, _ columns: [ColumnSelection], to sink: any ParameterSink, width: Int, entity: StoreEntity
  ) throws {
    try bind(source, columns, to: sink, width: width, entityName: entity.name) { entity.valueNames(of: $0) }
  }
}
