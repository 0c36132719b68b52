import Foundation

/// The code of one block of a tutorial, divided into declarations and statements, so that each can be compiled.
struct TutorialCode {
  struct Sample {
    enum Kind: Equatable {
      case declaration, function, `extension`, query, statements
    }

    /// The line of the block and the declared name: `41 Task`.
    let name: String
    let kind: Kind
    var text: String

    /// The name of a declared type, which other blocks may use.
    var typeName: String? { kind == .declaration ? name.split(separator: " ").last.map(String.init) : nil }
  }

  let line: Int
  private(set) var samples: [Sample] = []
  /// The variables of the last statements.
  private var variables: Set<Substring> = []
  /// Statements without a blank line between them.
  private var paragraph = ""

  /// - Parameter restore: restores what the markup lost.
  init(_ block: TutorialText.Block, restore: (inout Sample) -> Void) {
    line = block.line
    var pending: [Substring] = []  // comments and attributes before a declaration
    var lines = block.text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    while let first = lines.first {
      if first.allSatisfy(\.isWhitespace) { endParagraph() }
      let text = first.drop { $0 == " " }
      if text.hasPrefix("import ") || text == "@main" {
        lines.removeFirst()
      } else if text.hasPrefix("//") || text.contains(#/^@(?!Query)\w+(\(.*\))?$/#) {
        pending.append(lines.removeFirst())
      } else {
        let taken = pending + Self.takeWhole(&lines)
        pending = []
        add(taken.joined(separator: "\n"))
      }
    }
    endParagraph()
    for index in samples.indices { restore(&samples[index]) }
  }

  /// Removes the first lines up to the end of all brackets that they open.
  private static func takeWhole(_ lines: inout ArraySlice<Substring>) -> [Substring] {
    var taken: [Substring] = []
    var depth = 0
    repeat {
      let line = lines.removeFirst()
      taken.append(line)
      for character in line.replacing(#/"([^"\\]|\\.)*"|//.*/#, with: "") {
        if "{([".contains(character) { depth += 1 } else if "})]".contains(character) { depth -= 1 }
      }
      // A query's property follows its attribute.
      if depth <= 0, let next = lines.first, taken[0].hasPrefix("@Query"), next.contains(#/^(private )?var /#) {
        continue
      }
      // A call goes on with a member.
      if depth <= 0, let next = lines.first, next.contains(#/^ *\./#) { continue }
      if depth <= 0 { break }
    } while !lines.isEmpty
    return taken
  }

  private mutating func add(_ text: String) {
    let code = text.replacing(#/(?m)^ *//.*\n?/#, with: "")
    let type = #/(?m)^(?:@.* )?(?:public |private |final )*(?:class|struct|enum|actor|protocol) (\w+)/#
    if let match = code.firstMatch(of: type) {
      samples.append(Sample(name: "\(line) \(match.1)", kind: .declaration, text: text))
    } else if let match = code.firstMatch(of: #/(?m)^(?:@.* )?func (\w+)/#) {
      samples.append(Sample(name: "\(line) \(match.1)", kind: .function, text: text))
    } else if let match = code.firstMatch(of: #/(?m)^extension (\w+)/#) {
      samples.append(Sample(name: "\(line) extension \(match.1)", kind: .extension, text: text))
    } else if code.hasPrefix("@Query"), let match = code.firstMatch(of: #/var (\w+): \[\w+\]/#) {
      samples.append(
        Sample(name: "\(line) @Query \(match.1)" + number(of: "\(line) @Query \(match.1)"), kind: .query, text: text))
    } else if code.hasPrefix("#Preview") {
      samples.append(Sample(name: "\(line) #Preview", kind: .declaration, text: text))
    } else if !code.allSatisfy(\.isWhitespace) {
      paragraph += (paragraph.isEmpty ? "" : "\n") + text
    }
  }

  /// Tells samples of one name apart.
  private func number(of name: String) -> String {
    let others = samples.count { $0.name.hasPrefix(name) }
    return others == 0 ? "" : " \(others + 1)"
  }

  /// Statements of a block are one function, up to a variable that is declared again: then the block shows alternatives.
  private mutating func endParagraph() {
    defer { paragraph = "" }
    guard !paragraph.isEmpty else { return }
    let declared = Set(paragraph.matches(of: /(?m)^(?:let|var) (\w+)/).map { $0.1 })
    if let last = samples.lastIndex(where: { $0.kind == .statements }), variables.isDisjoint(with: declared) {
      samples[last].text += "\n" + paragraph
      variables.formUnion(declared)
    } else {
      variables = declared
      let number = samples.count { $0.kind == .statements } + 1
      samples.append(Sample(name: "\(line) statements \(number)", kind: .statements, text: paragraph))
    }
  }

  /// A file with some of the samples.
  func source(_ isWanted: (Sample) -> Bool) -> String {
    var members: [String] = []
    var extensions: [String] = []
    for (index, sample) in samples.enumerated() where isWanted(sample) {
      switch sample.kind {
      case .declaration: members.append(sample.text)
      case .function: members.append(sample.text.replacing(#/(?m)^func /#, with: "static func "))
      case .extension: extensions.append(sample.text.replacing(#/(?m)^extension /#, with: "extension Block\(line)."))
      case .query: members.append("struct Query\(index) {\n\(sample.text)\n}")
      case .statements:
        members.append("@MainActor static func statements\(index)() async throws {\n\(sample.text)\n}")
      }
    }
    let imports =
      ["Foundation", "SwiftData"] + (members.contains { $0.contains("@Test") } ? ["Testing"] : [])
      + (members.contains { $0.contains("XCTestCase") } ? ["XCTest"] : [])
    return imports.map { "import \($0)\n" }.joined() + "enum Block\(line) {\n" + members.joined(separator: "\n\n")
      + "\n}\n" + extensions.joined(separator: "\n")
  }
}
