import ManagedModel
import SQLite
import StoreRequests

/// The triggers of a derived attribute (CD-8), in a form that works for every ``Derivation``: any change along its path
/// recomputes the value of the affected objects.
///
/// Real stores show two forms, a `@count` over a key and an attribute of a to-one object; ``CoreDataTriggers`` writes
/// these as Core Data does. The text of the other forms is not known. They have Core Data's names and functions.
struct DerivationTriggers {
  private let derivation: Derivation
  private let isTemporary: Bool
  private(set) var definitions: [String] = []
  private var names = NameClaims(firstNumber: 1)

  /// - Parameter isTemporary: whether the triggers belong to one connection only, and are not stored.
  init(_ derivation: Derivation, isTemporary: Bool) {
    self.derivation = derivation
    self.isTemporary = isTemporary
    addSource()
    for level in derivation.hops.indices { addLink(level) }
    addEnd()
  }

  private var table: Identifier { derivation.entity.table }

  // MARK: Events

  /// A new object, or an object with a changed key of its own.
  private mutating func addSource() {
    add("SOURCE", on: table, "INSERT", owners: "Z_PK = NEW.Z_PK", isInsertion: true)
    guard case .own(let key) = derivation.hops[0].link else { return }
    add("SOURCE", on: table, "UPDATE OF \(key)", when: "OLD.\(key) IS NOT NEW.\(key)", owners: "Z_PK = NEW.Z_PK")
  }

  /// A link that is made, removed or redirected, or an object that is inserted after the link to it.
  private mutating func addLink(_ level: Int) {
    let hop = derivation.hops[level]
    switch hop.link {
    case .own(let key):
      if level > 0 {
        add(
          "PARAMETER", on: derivation.hops[level - 1].destination, "UPDATE OF \(key)",
          when: "OLD.\(key) IS NOT NEW.\(key)", owners: owners(level, "NEW.Z_PK"))
      }
      add("PARAMETER", on: hop.destination, "INSERT", owners: owners(level + 1, "NEW.Z_PK"))
    case .back(let key):
      add("PARAMETER", on: hop.destination, "INSERT", when: "NEW.\(key) NOT NULL", owners: owners(level, "NEW.\(key)"))
      add(
        "PARAMETER", on: hop.destination, "UPDATE OF \(key)", when: "OLD.\(key) IS NOT NEW.\(key)",
        owners: "(\(owners(level, "OLD.\(key)")) OR \(owners(level, "NEW.\(key)")))")
      add("PARAMETER", on: hop.destination, "DELETE", when: "OLD.\(key) NOT NULL", owners: owners(level, "OLD.\(key)"))
    case .join(let join, let own, _):
      add("PARAMETER", on: join, "INSERT", owners: owners(level, "NEW.\(own)"))
      add("PARAMETER", on: join, "DELETE", owners: owners(level, "OLD.\(own)"))
      add("PARAMETER", on: hop.destination, "INSERT", owners: owners(level + 1, "NEW.Z_PK"))
    }
  }

  /// A changed value at the end of the path.
  private mutating func addEnd() {
    let end = derivation.hops.count
    var columns = derivation.filter?.columns ?? []
    if let column = derivation.value.column, !columns.contains(column) { columns.insert(column, at: 0) }
    guard !columns.isEmpty else { return }
    add(
      "PARAMETER", on: derivation.hops[end - 1].destination,
      "UPDATE OF \(columns.map(\.description).joined(separator: ", "))",
      when: columns.map { "OLD.\($0) IS NOT NEW.\($0)" }.joined(separator: " OR "), owners: owners(end, "NEW.Z_PK"))
  }

  private mutating func add(
    _ role: String, on source: Identifier, _ event: String, when condition: String? = nil, owners: String,
    isInsertion: Bool = false
  ) {
    let kind = event.prefix { $0 != " " }
    let name = names.claim(
      "Z_DA_\(source.name)_\(derivation.entity.name)_\(derivation.attributeName)_\(role)_\(kind)")
    var owners = owners
    if derivation.entity.superentityName != nil {
      // Other entities of the table lack the attribute, and may use its column for another attribute.
      owners += " AND Z_ENT \(SQLText.numbersTest(derivation.entity.kindNumbers))"
    }
    let function = isInsertion ? TriggerFunctions.insertedDerived : TriggerFunctions.updatedDerived
    definitions.append(
      "CREATE \(isTemporary ? "TEMP " : "")TRIGGER \(Identifier(name)) AFTER \(event) ON \(source) FOR EACH ROW "
        + (condition.map { "WHEN (\($0)) " } ?? "")
        + "BEGIN UPDATE \(table) SET \(derivation.column) = \(value) WHERE \(owners); "
        + "SELECT \(function)(\(Identifier.literal(table.name)), Z_ENT, Z_PK, "
        + "\(Identifier.literal(derivation.attributeName)), \(derivation.column)) FROM \(table) WHERE \(owners); END")
  }

  // MARK: SQL

  /// The new value for the updated row of the attribute's table.
  var value: String {
    let chain = Chain(derivation, from: "\(table)", to: derivation.hops.count, filtersEnd: true)
    let end = "t\(derivation.hops.count)"
    let selected =
      switch derivation.value {
      case .column(let column, let function):
        function.map { "\(SQLText.name(of: $0))(\(end).\(column))" } ?? "\(end).\(column)"
      case .count: "COUNT(*)"
      // The sum of no values is 0. The minimum, maximum and average of no values are NULL.
      case .aggregate(.sum, let column): "IFNULL(SUM(\(end).\(column)), 0)"
      case .aggregate(let aggregate, let column): "\(aggregate.rawValue.uppercased())(\(end).\(column))"
      }
    return "(SELECT \(selected) FROM \(chain.tables) WHERE \(chain.conditions))"
  }

  /// The condition for rows of the attribute's table whose path reaches a given row after some steps.
  private func owners(_ level: Int, _ key: String) -> String {
    if level == 0 { return "Z_PK = \(key)" }
    if level == 1, case .own(let own) = derivation.hops[0].link { return "\(own) = \(key)" }
    let chain = Chain(derivation, from: "t0", to: level, filtersEnd: false)
    return
      "Z_PK IN (SELECT t0.Z_PK FROM \(table) t0, \(chain.tables) WHERE \(chain.conditions) AND t\(level).Z_PK = \(key))"
  }

  /// The tables of the path's first steps. Their aliases are t1, t2 …; those of join tables are j1, j2 …
  private struct Chain {
    let tables: String
    let conditions: String

    init(_ derivation: Derivation, from start: String, to level: Int, filtersEnd: Bool) {
      var tables: [String] = []
      var conditions: [String] = []
      var previous = start
      for (index, hop) in derivation.hops.prefix(level).enumerated() {
        let alias = "t\(index + 1)"
        switch hop.link {
        case .own(let key): conditions.append("\(alias).Z_PK = \(previous).\(key)")
        case .back(let key): conditions.append("\(alias).\(key) = \(previous).Z_PK")
        case .join(let join, let own, let other):
          tables.append("\(join) j\(index + 1)")
          conditions += ["j\(index + 1).\(own) = \(previous).Z_PK", "\(alias).Z_PK = j\(index + 1).\(other)"]
        }
        if filtersEnd, index == derivation.hops.count - 1, let filter = derivation.filter {
          tables.append("(SELECT * FROM \(hop.destination) WHERE \(filter.sql)) \(alias)")
        } else {
          tables.append("\(hop.destination) \(alias)")
        }
        previous = alias
      }
      self.tables = tables.joined(separator: ", ")
      self.conditions = conditions.joined(separator: " AND ")
    }
  }
}
