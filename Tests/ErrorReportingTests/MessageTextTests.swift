import ErrorReporting
import Testing

struct MessageTextTests {
  @Test("A hostile name in a message is escaped, quoted and cut")
  func hostileNames() {
    #expect(quoted("a\u{1b}[2J\n\u{202e}”") == "“a\\u{1b}[2J\\u{a}\\u{202e}\\””")
    #expect(quoted(String(repeating: "x", count: 1_000)).count == 83)
  }

  @Test("A path in a message is escaped and quoted, and not cut")
  func hostilePaths() {
    let path = String(repeating: "/folder", count: 100)
    #expect(quotedPath("\(path)/a\n\u{7f}b") == "“\(path)/a\\u{a}\\u{7f}b”")
  }

  @Test("The nearest name has the fewest edits, and none is offered for a stranger")
  func nearestNames() {
    #expect(nearestName(to: "titel", in: ["title", "author", "tilt"]) == "title")
    #expect(nearestName(to: "Title", in: ["author", "title"]) == "title")
    #expect(nearestName(to: "isbn", in: ["publisher", "pages"]) == nil)
    #expect(nearestName(to: "", in: ["a"]) == "a")
    #expect(nearestName(to: "x", in: ["y", "id", "x2"]) == nil)
    #expect(nearestName(to: "x", in: ["X"]) == "X")
    #expect(nearestName(to: String(repeating: "x", count: 5_000), in: ["x"]) == nil)
  }

  @Test("Of two names that are equally near, the first in code-unit order is offered")
  func equallyNearNames() {
    #expect(nearestName(to: "cat", in: ["hat", "bat"]) == "bat")
  }

  @Test("A text of several lines is put on one line, and cut where asked")
  func oneLine() {
    #expect(onOneLine("a\nb\u{1b}c\u{2028}d") == "a b c d")
    #expect(onOneLine("abcdef", limit: 3) == "abc")
  }

  @Test("A place in a text has the line, and the column if it is known")
  func places() {
    #expect(textPlace(line: 3, column: 5) == "line 3, column 5")
    #expect(textPlace(line: 3, column: nil) == "line 3")
    #expect(textPlace(line: nil, column: nil) == nil)
  }

  @Test("A long list is cut, with the number of further items")
  func lists() {
    #expect(abbreviatedList([]) == "")
    #expect(abbreviatedList(["a", "b"], limit: 2) == "a, b")
    #expect(abbreviatedList(["a", "b", "c", "d"], limit: 2) == "a, b, and 2 more")
    #expect(abbreviatedList(["a", "b"], limit: 1, separator: "; ") == "a; and 1 more")
  }
}
