import PostgreSQL

/// The locks by which saves that insert equal unique values wait for one another.
///
/// The server compares unique values at the commit. Without these locks, one of several such saves has the lock of the store's row and
/// waits for the others, and they wait for the store's row. The server finds this deadlock after a second, and ends one save of many.
/// With the locks, the second save waits before it looks for the value, and then finds the row of the first one.
///
/// The locks end with the transaction. They go to the server with the next statement, so they cost no round trip.
struct UniqueValueLocks {
  enum Kind {
    /// None: the transaction has many saves.
    case none
    /// One for each value. A save of many values takes none.
    case values
    /// As `values`; a save of many values takes one for each constraint, for which all others wait.
    case constraints
  }

  /// The server has room for some 64 locks of each connection.
  static let valueLimit = 32

  private let connection: Connection
  private let schema: Identifier
  private var kind = Kind.none
  private var hasManyValues = false

  init(over connection: Connection, schema: Identifier) {
    self.connection = connection
    self.schema = schema
  }

  /// - Parameter count: the number of values for which the save may look.
  mutating func choose(_ kind: Kind, count: Int) {
    hasManyValues = count > Self.valueLimit
    self.kind = hasManyValues && kind == .values ? .none : kind
  }

  /// Takes the locks of unique values with the next statement, in an order that all saves have.
  func take(_ values: some Sequence<UniqueValues>) throws {
    guard kind != .none else { return }
    var (constraints, keys): (Set<Int64>, Set<Int64>) = ([], [])
    for values in values {
      let names = [schema.name.utf8, values.constraint.name.utf8]
      constraints.insert(Self.key(names))
      if !hasManyValues { keys.insert(Self.key(names, values.bytes)) }
    }
    guard !constraints.isEmpty else { return }
    let function = hasManyValues ? "pg_advisory_xact_lock" : "pg_advisory_xact_lock_shared"
    // The server evaluates them one after another.
    let locks = constraints.sorted().map { "\(function)(\($0))" } + keys.sorted().map { "pg_advisory_xact_lock(\($0))" }
    try connection.runWithNext("SELECT " + locks.joined(separator: ", "))
  }

  /// A number that programs on all machines compute alike (FNV-1a). Two values with one number only wait for one another.
  private static func key(_ texts: [String.UTF8View], _ bytes: [UInt8] = []) -> Int64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    for text in texts {
      text.forEach(add)
      add(0)
    }
    bytes.forEach(add)
    // SQL has no literal for the least number.
    return Int64(hash &>> 1)
  }
}
