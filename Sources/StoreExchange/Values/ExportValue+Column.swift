import Foundation
import ManagedModel
import PropertyLists
import StoreRequests

extension ExportValue {
  /// The value of a column as a value of an attribute's type.
  init(_ stored: StoreValue, as type: AttributeType) {
    switch (type, stored) {
    case (_, .null): self = .null
    case (.boolean, .integer(let number)) where (0...1).contains(number): self = .boolean(number == 1)
    case (.integer16, .integer(let number)) where Int16(exactly: number) != nil: self = .integer(number)
    case (.integer32, .integer(let number)) where Int32(exactly: number) != nil: self = .integer(number)
    case (.integer64, .integer(let number)): self = .integer(number)
    case (.double, .real(let number)), (.float, .real(let number)): self = .real(number)
    case (.double, .integer(let number)), (.float, .integer(let number)): self = .real(Double(number))
    case (.date, .real(let number)): self = .date(number)
    case (.date, .integer(let number)): self = .date(Double(number))
    case (.string, .text(let text)), (.uri, .text(let text)): self = .text(text)
    case (.binary, .blob(let data)): self = .data(data)
    // The framework reads the number at the beginning of a text, and ignores the rest.
    case (.decimal, .text(let text)) where text != "NaN" && Self.decimal(text) == nil: self = .stored(stored)
    case (.decimal, _): self = Decimal(stored).map { .decimal($0) } ?? .stored(stored)
    case (.uuid, .blob(let data)) where data.count == 16:
      self = .uuid(data.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
    case (.transformable, .blob(let data)):
      self = (try? ArchivedValue(archive: data)).map { .archived($0) } ?? .stored(stored)
    default: self = .stored(stored)
    }
  }

  /// The decimal number that a whole text is; `nil` for another text.
  static func decimal(_ text: String) -> Decimal? {
    // `Decimal(string:)` accepts any text that begins with a number.
    guard Double(text)?.isFinite == true, !text.contains("x"), !text.contains("X") else { return nil }
    return Decimal(string: text).flatMap { $0.isNaN ? nil : $0 }
  }
}
