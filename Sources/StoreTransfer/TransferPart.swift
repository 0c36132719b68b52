import ErrorReporting
import StoreRequests

/// Rows and members that are written together.
struct TransferPart {
  private(set) var changes = ChangeSet()
  /// The keys of the insertions.
  private(set) var keys: [Int64] = []
  private var byteCount = 0
  private var memberCount = 0

  var isFull: Bool { keys.count >= 1000 || byteCount >= 4 << 20 || memberCount >= 4096 }

  mutating func insert(_ row: CopiedRow, _ object: ObjectKey, _ columns: [ColumnSelection]) {
    changes.insertions.append(ChangeSet.Insertion(entity: object.entity, columns: columns, source: row))
    keys.append(object.key)
    byteCount += row.byteCount
  }

  mutating func relate(_ change: ChangeSet.RelationshipChange, memberCount: Int) {
    changes.relationshipChanges.append(change)
    self.memberCount += memberCount
  }

  /// The name of the object whose values were asked for last; `nil` if there is none.
  func place(in entities: EntityTable) -> String? {
    let last = Array(zip(changes.insertions, keys)).last { ($0.0.source as? CopiedRow)?.isBound == true }
    return last.flatMap { insertion, key in
      entities.entity(numbered: insertion.entity).map { "\($0.name)/p\(key)" }
    }
  }
}

/// The values of a row of another store.
final class CopiedRow: RowSource {
  private let places: [String: Range<Int>]
  private var values: [StoreValue] = []
  private(set) var byteCount = 0
  /// Whether its values were asked for.
  private(set) var isBound = false

  init(_ places: [String: Range<Int>]) { self.places = places }

  func append(_ value: StoreValue) {
    values.append(value)
    switch value {
    case .text(let text): byteCount += text.utf8.count
    case .blob(let data): byteCount += data.count
    case .null, .integer, .real: byteCount += 8
    }
  }

  func bind(_ columns: [ColumnSelection], into binder: inout RowBinder) throws {
    isBound = true
    for column in columns {
      guard let place = places[column.propertyName] else {
        throw QueryError.missingValue(property: column.propertyName, entity: column.entityName)
      }
      for value in values[place] { try binder.bind(value) }
    }
  }

  func assign(_ object: ObjectKey, wasMerged: Bool) {}
}

/// A value of an object that the other store cannot keep.
package struct TransferError: ReportableError, Sendable, Hashable {
  package let problem: String
  package let remedy: String?

  init(_ problem: String, at object: String?) {
    self.problem = (object.map { "object \($0): " } ?? "") + problem
    remedy = "change the value, or leave it out"
  }

  init(_ error: SaveError, at object: String?) {
    problem = (object.map { "object \($0): " } ?? "") + error.problem
    if case .unstorable(_, _, .dateOutOfRange) = error {
      remedy = "give it another date, or make a lenient copy, in which it is infinite"
    } else {
      remedy = error.remedy
    }
  }
}
