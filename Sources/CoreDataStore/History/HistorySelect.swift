import Foundation
import SQLite
import StoreRequests

/// The statement that reads history, with the values of its placeholders.
///
/// The first result columns are the transaction's number, time, author, bundle identifier, context name and process name.
/// The change's number, kind, entity, key and bits follow, then the tombstones. A transaction without changes has one row.
struct HistorySelect {
  private(set) var sql = ""
  private(set) var bindings: [StoreValue] = []
  private let hasStringTable: Bool
  /// Whether transactions may hold their author in their own row, beside a string table.
  private let hasPlainAuthors: Bool

  /// A text of a transaction: the text's own column, and the column of its key in the string table.
  private struct Text {
    let plain: String
    let row: String

    static let all = ["AUTHOR", "BUNDLEID", "CONTEXTNAME", "PROCESSID"].map { Text(plain: "Z\($0)", row: "Z\($0)TS") }
  }

  /// - Parameter hasPlainAuthors: `false` only if no transaction holds its author in its own row.
  init(_ request: HistoryRequest, form: HistoryForm, hasPlainAuthors: Bool = true) {
    hasStringTable = form.hasStringTable
    self.hasPlainAuthors = hasPlainAuthors
    var columns = ["t.Z_PK", "t.ZTIMESTAMP"] + Text.all.map(value)
    columns += ["Z_PK", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZCOLUMNS"].map { "c.\($0)" }
    columns += (0..<form.tombstoneCount).map { "c.ZTOMBSTONE\($0)" }
    var join = "LEFT JOIN ACHANGE c ON c.ZTRANSACTIONID = t.Z_PK"
    if let entities = request.entities {
      join = "JOIN ACHANGE c ON c.ZTRANSACTIONID = t.Z_PK AND \(Self.test(entities))"
    }
    let conditions = conditions(request)
    sql = "SELECT \(columns.joined(separator: ", ")) FROM ATRANSACTION t \(join)"
    if !conditions.isEmpty { sql += " WHERE \(conditions.joined(separator: " AND "))" }
    sql += " ORDER BY \(Self.order(request, "t.")), c.Z_PK"
  }

  /// Makes the statement that lists the numbers of a request's transactions.
  init(numbersOf request: HistoryRequest, form: HistoryForm) {
    hasStringTable = form.hasStringTable
    hasPlainAuthors = true
    let (numbers, chosen) = tests(request, areComplete: true)
    sql = list(request, chosen + numbers)
  }

  private static func order(_ request: HistoryRequest, _ prefix: String) -> String {
    let direction = request.isDescending ? " DESC" : ""
    let number = "\(prefix)Z_PK\(direction)"
    return request.order == .date ? "\(prefix)ZTIMESTAMP\(direction), \(number)" : number
  }

  private func value(_ text: Text) -> String {
    guard hasStringTable else { return "t.\(text.plain)" }
    return "COALESCE((SELECT ZNAME FROM ATRANSACTIONSTRING WHERE Z_PK = t.\(text.row)), t.\(text.plain))"
  }

  private static func test(_ entities: Set<Int32>) -> String {
    "c.ZENTITY IN (\(entities.sorted().map(String.init).joined(separator: ", ")))"
  }

  private mutating func placeholder(_ value: StoreValue) -> String {
    bindings.append(value)
    return "?\(bindings.count)"
  }

  /// Returns the request's conditions on the transactions, which have the alias `t`.
  ///
  /// A condition that has its own index selects the transactions' numbers first, so that the rows arrive in order
  /// without a sort.
  private mutating func conditions(_ request: HistoryRequest) -> [String] {
    let (numbers, chosen) = tests(request, areComplete: request.limit != nil)
    guard !chosen.isEmpty || request.limit != nil else { return numbers.map { "t.\($0)" } }
    return ["t.Z_PK IN (\(list(request, chosen + numbers)))"]
  }

  private mutating func list(_ request: HistoryRequest, _ tests: [String]) -> String {
    var list = "SELECT Z_PK FROM ATRANSACTION"
    if !tests.isEmpty { list += " WHERE \(tests.joined(separator: " AND "))" }
    guard let limit = request.limit else { return list }
    return list + " ORDER BY \(Self.order(request, "")) LIMIT \(placeholder(.integer(Int64(max(limit, 0)))))"
  }

  /// Returns the tests of numbers, and all other tests.
  ///
  /// - Parameter areComplete: whether the tests include the entities; a join can test them, too.
  private mutating func tests(_ request: HistoryRequest, areComplete: Bool) -> (numbers: [String], chosen: [String]) {
    var numbers: [String] = []
    if let after = request.after { numbers.append("Z_PK > \(placeholder(.integer(after)))") }
    if let through = request.through { numbers.append("Z_PK <= \(placeholder(.integer(through)))") }
    var chosen: [String] = []
    if let since = request.since {
      chosen.append("ZTIMESTAMP >= \(placeholder(.real(since.timeIntervalSinceReferenceDate)))")
    }
    if let before = request.before {
      chosen.append("ZTIMESTAMP < \(placeholder(.real(before.timeIntervalSinceReferenceDate)))")
    }
    let filters = [request.author, request.bundleIdentifier, request.contextName, request.processName]
    for (text, filter) in zip(Text.all, filters) {
      switch filter {
      case .any: break
      case .equal(let value?) where hasStringTable && !hasPlainAuthors && text.plain == "ZAUTHOR":
        // The author's index then has these transactions in their order, so that a limit ends the search.
        chosen.append("ZAUTHORTS = (SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = \(placeholder(.text(value))))")
      case .equal(let value): chosen.append(test(text, value))
      case .notEqual(let value): chosen.append("NOT \(test(text, value))")
      }
    }
    if areComplete, let entities = request.entities {
      let change = "SELECT 1 FROM ACHANGE c WHERE c.ZTRANSACTIONID = ATRANSACTION.Z_PK AND \(Self.test(entities))"
      chosen.append("EXISTS (\(change))")
    }
    return (numbers, chosen)
  }

  /// Returns a condition: the transaction's text equals a given text, or is missing if none is given.
  ///
  /// The condition is true or false, never `NULL`.
  private mutating func test(_ text: Text, _ value: String?) -> String {
    guard let value else {
      return hasStringTable ? "(\(text.row) IS NULL AND \(text.plain) IS NULL)" : "(\(text.plain) IS NULL)"
    }
    let placeholder = placeholder(.text(value))
    guard hasStringTable else { return "(\(text.plain) IS \(placeholder))" }
    let row = "\(text.row) IS (SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = \(placeholder))"
    return "(\(text.row) IS NOT NULL AND \(row) OR \(text.row) IS NULL AND \(text.plain) IS \(placeholder))"
  }
}
