import ErrorReporting
import PostgreSQL
import StoreRequests

/// The names that the server gives primary keys and sequences. It chooses names that are free when it makes a table.
///
/// Tables, indexes and sequences of a schema share one list of names. So a later table may find its name taken. A layout
/// cannot reserve these names: stores exist whose tables came in another order, and whose tables would change their names.
struct AutomaticNames {
  private var owners: [Identifier: Owner] = [:]

  private struct Owner {
    /// The thing that has the name, a primary key or a sequence; `nil` for a table.
    let use: String?
    let table: Identifier
  }

  /// The first table of a new store that cannot be made, in words; `nil` if all can.
  static func clash(in layout: StoreLayout) -> String? {
    var names = AutomaticNames()
    let own = [
      StoreDefinitions.store, StoreDefinitions.storeVersions, StoreDefinitions.storeEntities,
      StoreDefinitions.transactions, StoreDefinitions.changes, StoreDefinitions.readers, StoreDefinitions.gap,
    ]
    for table in own { names.add(table, counting: table == StoreDefinitions.changes ? "number" : nil) }
    for table in layout.tables {
      if let clash = names.clash(of: table.name) {
        return "the table of entity \(quoted(table.root.name)) cannot have the name \(clash)"
      }
      names.add(table.name, counting: TableLayout.key.name)
    }
    for table in layout.joinTables {
      if let clash = names.clash(of: table.name) { return "the table of pairs cannot have the name \(clash)" }
      names.add(table.name, counting: nil)
    }
    return nil
  }

  private func clash(of table: Identifier) -> String? {
    guard let owner = owners[table], let use = owner.use else { return nil }
    return "\(quoted(table.name)), which the server gives \(use) of the table \(quoted(owner.table.name))"
  }

  /// - Parameter column: the column with numbers of a sequence.
  private mutating func add(_ table: Identifier, counting column: String?) {
    if let column { claim("a sequence", of: table, Self.name(table, column: column, "seq")) }
    owners[table] = Owner(use: nil, table: table)
    claim("the primary key", of: table, Self.name(table, column: nil, "pkey"))
  }

  private mutating func claim(_ use: String, of table: Identifier, _ name: (Int) -> Identifier) {
    var number = 0
    while owners[name(number)] != nil { number += 1 }
    owners[name(number)] = Owner(use: use, table: table)
  }

  /// The server's own rule (`makeObjectName` and `ChooseRelationName` in src/backend/commands/indexcmds.c): the longer part
  /// is cut first, and a number follows if the name is taken.
  private static func name(_ table: Identifier, column: String?, _ label: String) -> (Int) -> Identifier {
    { number in
      let label = number == 0 ? label : "\(label)\(number)"
      let available = Identifier.longestName - label.utf8.count - 1 - (column == nil ? 0 : 1)
      var (first, second) = (table.name.utf8.count, column?.utf8.count ?? 0)
      while first + second > available { if first > second { first -= 1 } else { second -= 1 } }
      let parts = [table.name.prefix(bytes: first)] + (column.map { [$0.prefix(bytes: second)] } ?? []) + [label]
      return Identifier(parts.joined(separator: "_"))
    }
  }
}
