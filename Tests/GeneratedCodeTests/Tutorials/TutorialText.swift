import Foundation

/// A tutorial whose text has code between its paragraphs.
///
/// Some tutorials are Markdown. Others are the text of a web page: nothing marks their code, and everything between `<` and `>` was taken for
/// an element of the page and is lost. The name of the class `Article` was even taken for a known element, after which line ends are lost.
struct TutorialText {
  /// Lines of code that follow one another.
  struct Block {
    /// The number of the first line in the document.
    let line: Int
    var text: String
  }

  let blocks: [Block]

  init(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    blocks = (lines.contains { $0.hasPrefix("```") } ? Self.fenced(lines) : Self.unmarked(lines)).map { block in
      Block(line: block.line, text: Self.closed(block.text))
    }
  }

  private static func fenced(_ lines: [String]) -> [Block] {
    var blocks: [Block] = []
    var current: Block?
    for (index, line) in lines.enumerated() {
      if line.hasPrefix("```") {
        if let block = current { blocks.append(block) }
        current = current == nil ? Block(line: index + 2, text: "") : nil
      } else {
        current?.text += line + "\n"
      }
    }
    return blocks
  }

  // MARK: Tutorials without marks

  private static func unmarked(_ lines: [String]) -> [Block] {
    var blocks: [Block] = []
    var current: Block?
    var blanks = 0
    for (index, line) in lines.enumerated() {
      if isCode(line) {
        if current == nil { current = Block(line: index + 1, text: "") }
        current?.text += String(repeating: "\n", count: blanks) + line + "\n"
        blanks = 0
      } else if line.allSatisfy(\.isWhitespace) {
        blanks += current == nil ? 0 : 1
      } else {
        if let block = current { blocks.append(block) }
        (current, blanks) = (nil, 0)
      }
    }
    if let block = current { blocks.append(block) }
    return blocks.map { Block(line: $0.line, text: withLineEnds($0.text)) }
  }

  /// Whether a line is code: it is indented, or begins as code does.
  private static func isCode(_ line: String) -> Bool {
    if line.contains(/^ *(•|\d+\.)/) { return false }
    if line.hasPrefix("    ") { return true }
    // Headings name a macro, and a dash, a colon or a word follows.
    if line.contains(/^[@#]\w+( —|:| makro| \p{Cyrillic})/) { return false }
    return line.contains(
      /^(@|#|\/\/|[{}()\[\]]|import |struct |(final )?class |actor |enum |func |extension |protocol |(static )?(let|var) |for \w+ in |if |try |Task\.|\w+\.\w+[( ]|\.\w+\()/
    )
  }

  /// Restores the line ends after `<Article>`.
  private static func withLineEnds(_ text: String) -> String {
    var result: [String] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      guard let last = result.last, last.contains(/(#Predicate|FetchDescriptor)$/), line.contains(/^[{(]/) else {
        result.append(String(line))
        continue
      }
      result[result.count - 1] = last + "<Article>" + statements(String(line))
    }
    return result.joined(separator: "\n")
  }

  private static func statements(_ line: String) -> String {
    line
      .replacing(
        /\/\/ .*?(?=(?:let|var|while|for|if|return|func|try) |@Query|article\.|descriptor\.|context\.)/, with: ""
      )
      .replacing(
        /(?<before>\S+) (?=(?:let|var|while|for|if|return|func|try) |@Query|_\w+ =|\w+\.\w+ \+?= |offset \+=|\w*[cC]ontext\.|XCTAssert)/
      ) { match in
        let isInside = ["=", "return", "try", "if", "in", "&&"].contains(String(match.before))
        return match.before + (isInside ? " " : "\n")
      }
  }

  /// The text with the closing braces that a document leaves out.
  private static func closed(_ text: String) -> String {
    let open = text.count { $0 == "{" } - text.count { $0 == "}" }
    return text + String(repeating: "}\n", count: max(0, open))
  }
}
