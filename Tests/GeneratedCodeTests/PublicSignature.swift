import Foundation

/// A declaration in a form in which those that mean the same to a caller are equal.
struct PublicSignature: Hashable, CustomStringConvertible {
  let description: String

  /// Reads a declaration without the inner names of its parameters.
  ///
  /// A constant and a property without a setter are the same, and so are `var x: T` and `var x: T { get set }`. The names of a function's
  /// type parameters do not matter. The order of constraints does not, either.
  init(_ declaration: String) {
    var text = declaration.replacing(" : ", with: ": ").replacing("`", with: "").replacing("\n", with: " ")
    while text.hasSuffix(" ") { text.removeLast() }
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    if let place = words.firstIndex(of: "let"), !words[..<place].contains("func") {
      text = (words[..<place] + ["var"] + words[(place + 1)...]).joined(separator: " ") + " { get }"
    } else if words.contains("var"), !text.contains("{") {
      text += " { get set }"
    }
    text = Self.withoutParameterNames(text)
    description = Self.withSortedConstraints(text)
  }

  /// Whether callers choose the names of the type parameters: those of a function, not those of a type.
  private static func withoutParameterNames(_ text: String) -> String {
    guard let open = text.firstIndex(of: "<"), let call = text.firstIndex(of: "("), open < call,
      let close = text[open...].firstIndex(of: ">"), close < call
    else { return text }
    let before = text[..<open].split(separator: " ")
    guard before.contains("func") || before.last == "init" || before.last == "subscript" else {
      return text
    }
    let names = text[text.index(after: open)..<close].split(separator: ", ").map(String.init)
    var result = ""
    var word = ""
    // A label may have the name of a type parameter.
    func end(_ next: Character?) {
      let isLabel = next == ":" && (result.hasSuffix("(") || result.hasSuffix(", "))
      let number = isLabel ? nil : names.firstIndex(of: word)
      result += number.map { "T\($0 + 1)" } ?? word
      word = ""
    }
    let constraints = text.range(of: " where ")?.lowerBound ?? text.endIndex
    for index in text.indices {
      let character = text[index]
      if character.isLetter || character.isNumber || character == "_" {
        word.append(character)
      } else {
        end(index < constraints ? character : nil)
        result.append(character)
      }
    }
    end(nil)
    return result
  }

  private static func withSortedConstraints(_ text: String) -> String {
    guard let range = text.range(of: " where ") else { return text }
    let end = text[range.upperBound...].firstIndex(of: "{") ?? text.endIndex
    let constraints = text[range.upperBound..<end].split(separator: ", ").map { $0.filter { $0 != " " } }
    let rest = end == text.endIndex ? "" : " " + text[end...]
    return text[..<range.upperBound] + constraints.sorted().joined(separator: ", ") + rest
  }
}
