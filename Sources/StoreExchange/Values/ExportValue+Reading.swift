import CoreDataStore
import Foundation
import ManagedModel
import PropertyLists
import SQLite
import StoreRequests

extension ExportValue {
  /// The value of a column, read as the type of its attribute.
  init(_ statement: Statement, _ column: Int, as type: AttributeType) {
    var reader = RowReader(statement, startingAt: column)
    let kind = statement.type(column)
    switch (type, kind) {
    case (_, .null): self = .null
    case (.boolean, .integer) where (0...1).contains(statement.integer(column)):
      self = .boolean(statement.integer(column) == 1)
    case (.integer16, .integer) where Int16(exactly: statement.integer(column)) != nil,
      (.integer32, .integer) where Int32(exactly: statement.integer(column)) != nil, (.integer64, .integer):
      self = .integer(statement.integer(column))
    case (.double, .real), (.float, .real), (.double, .integer), (.float, .integer):
      self = .real(statement.double(column))
    case (.date, .real), (.date, .integer): self = .date(statement.double(column))
    case (.string, .text), (.uri, .text): self = .text(statement.text(column) ?? "")
    case (.binary, .blob): self = .data(statement.blob(column) ?? Data())
    case (.decimal, _): self = ExportValue(reader.value(), as: type)
    case (.uuid, .blob): self = reader.uuid().map { .uuid($0) } ?? .stored(reader.again(column))
    case (.transformable, .blob):
      let data = statement.blob(column) ?? Data()
      self = (try? ArchivedValue(archive: data)).map { .archived($0) } ?? .stored(.blob(data))
    default: self = .stored(reader.value())
    }
  }

  /// A composite's elements from the values and paths of its leaves; `null` if no leaf has a value (CD-2.4).
  static func composite(_ leaves: ArraySlice<(path: ArraySlice<String>, value: ExportValue)>) -> ExportValue {
    var elements: [Element] = []
    var index = leaves.startIndex
    while index < leaves.endIndex {
      guard let name = leaves[index].path.first else { break }
      // The leaves of one element are adjacent.
      var end = index
      while end < leaves.endIndex, leaves[end].path.first == name { end += 1 }
      let value: ExportValue
      if leaves[index].path.count == 1 {
        value = leaves[index].value
        end = index + 1
      } else {
        let inner = leaves[index..<end].map { (path: $0.path.dropFirst(), value: $0.value) }
        value = composite(inner[...])
      }
      if value != .null { elements.append(Element(name, value)) }
      index = end
    }
    return elements.isEmpty ? .null : .composite(elements)
  }
}

extension RowReader {
  /// The stored value of a column whose value does not fit the attribute's type.
  fileprivate mutating func again(_ column: Int) -> StoreValue {
    start(at: column)
    return value()
  }
}
