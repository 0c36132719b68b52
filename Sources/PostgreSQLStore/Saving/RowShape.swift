import PostgreSQL
import StoreRequests

/// The columns that a save writes in the rows of an entity.
struct RowShape: Hashable {
  let entity: Int32
  let columns: [ColumnSelection]
}

/// Rows of one shape, gathered for one statement.
final class RowGroup {
  let entity: StoreEntity
  let columns: [ColumnSelection]
  /// The columns of the values that a source binds.
  let places: [ColumnLayout?]
  let table: TableLayout
  private let sink: ColumnSink
  private(set) var keys = ParameterArray(.integer64)
  private(set) var versions = ParameterArray(.integer64)
  /// The keys, in their order.
  private(set) var keyList: [Int64] = []

  /// One statement carries at most this many rows.
  static let limit = 4096

  init(_ shape: RowShape, in layout: StoreLayout) throws {
    entity = try layout.existingEntity(shape.entity)
    columns = shape.columns
    table = layout.table(of: entity)
    places = try layout.columns(shape.columns, of: entity)
    sink = ColumnSink(places.map { $0?.type })
  }

  var isFull: Bool { keyList.count >= Self.limit }

  /// The written columns, in the order of the parameters.
  var written: [ColumnLayout] { places.compactMap(\.self) }

  /// Adds a row.
  ///
  /// - Parameter version: the version that the row must have; `nil` for any version.
  func add(_ key: Int64, version: Int64? = nil, _ source: any RowSource) throws {
    keys.append { BinaryForm.append(key, to: &$0) }
    if let version { versions.append { BinaryForm.append(version, to: &$0) } } else { versions.appendNull() }
    keyList.append(key)
    try RowBinder.bind(source, columns, to: sink, width: places.count, entity: entity)
  }

  var parameters: [Parameter] { sink.parameters }

  /// `$2::text[], $3::bigint[]`
  func arrays(from first: Int) -> [String] {
    written.enumerated().map { "$\(first + $0)::\($1.type.sql)[]" }
  }
}

extension RowBinder {
  /// Lets a source bind its part of a row, and checks that the source has bound every value.
  ///
  /// - Throws: ``SaveError``, which names the property of a value that cannot be stored, or an error of the source.
  static func bind(
    _ source: any RowSource, _ columns: [ColumnSelection], to sink: any ParameterSink, width: Int, entity: StoreEntity
  ) throws {
    var binder = RowBinder(sink, startingAt: 1)
    do { try source.bind(columns, into: &binder) } catch let problem as UnstorableValue {
      throw SaveError.unstorable(
        entity: entity.name, property: property(at: binder.index - 1, of: columns, entity), problem)
    }
    guard binder.index == width + 1 else {
      throw SaveError.wrongWidth(entity: entity.name, expected: width, bound: binder.index - 1)
    }
  }

  /// The property whose value stands at a position, counted from 0.
  private static func property(at position: Int, of columns: [ColumnSelection], _ entity: StoreEntity) -> String {
    var end = 0
    for column in columns {
      guard let property = entity.property(named: column.propertyName) else { continue }
      if position < end + property.width {
        if case .attribute(let attribute) = property {
          return attribute.leaves[position - end].path.joined(separator: ".")
        }
        return property.name
      }
      end += property.width
    }
    return columns.last?.propertyName ?? ""
  }
}
