import ManagedModel
import PostgreSQLStore

/// Makes names of a model from names of tables and columns.
///
/// A name changes only if the rule that names a store's tables gives back the table's name: `book_cover` becomes `BookCover`. Every other
/// name, such as `Book Cover` or `line_2`, stays as spelled, and the generator makes a Swift identifier of it.
enum ModelNames {
  static func entity(_ table: String) -> String { camelCase(table, isCapitalized: true) ?? table }

  static func property(_ column: String) -> String { camelCase(column, isCapitalized: false) ?? column }

  /// The name of a relationship: that of its foreign key's column without the name of the key, such as `_id` or, in camel case, `Id`.
  static func toOne(_ column: String, key: String) -> String {
    for ending in ["_" + key, "_id"] where column.utf8.count > ending.utf8.count && column.hasSuffix(ending) {
      return property(String(column.dropLast(ending.count)))
    }
    for ending in [capitalized(key), "Id"] {
      guard column.hasSuffix(ending), let last = column.dropLast(ending.count).last, last.isLowercase || last.isNumber
      else { continue }
      return lowercased(String(column.dropLast(ending.count)))
    }
    return property(column)
  }

  /// The name of a to-many relationship, which no column has: the plural of a word, if the word does not look like one.
  static func toMany(_ name: String) -> String {
    let letters = Array(name)
    guard let last = letters.last, last.isASCII, last.isLowercase else { return name }
    if last == "s" { return name }
    if last == "y", letters.count > 1, !"aeiou".contains(letters[letters.count - 2]) { return name.dropLast() + "ies" }
    let hisses = ["x", "z", "ch", "sh"].contains { name.hasSuffix($0) }
    return name + (hisses ? "es" : "s")
  }

  static func capitalized(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

  static func lowercased(_ name: String) -> String { name.prefix(1).lowercased() + name.dropFirst() }

  /// `nil` if the rule of a store would not give the name back.
  private static func camelCase(_ name: String, isCapitalized: Bool) -> String? {
    let words = name.split(separator: "_", omittingEmptySubsequences: false).map(String.init)
    guard let first = words.first else { return nil }
    let result = (isCapitalized ? capitalized(first) : first) + words.dropFirst().map(capitalized).joined()
    return NamingRule.snakeCase.name(result).utf8.elementsEqual(name.utf8) ? result : nil
  }
}
