import Foundation
import TestSupport
import Testing
import ToolConsole

@testable import generate_models

@Suite("Unified differences") struct UnifiedDiffTests {
  private func diff(_ old: String?, _ new: String?, path: String = "f") -> String {
    let difference = UnifiedDiff(
      from: .init(path: path, contents: old.map { Data($0.utf8) }),
      to: .init(path: path, contents: new.map { Data($0.utf8) }))
    return String(decoding: difference.text(styled: .plain), as: UTF8.self)
  }

  @Test("Equal texts have no difference") func equal() {
    #expect(diff("a\nb\n", "a\nb\n") == "")
    #expect(diff("", "") == "")
    #expect(diff(nil, nil) == "")
  }

  @Test("A change has three lines of context on either side") func context() {
    #expect(
      diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n") == """
        --- a/f
        +++ b/f
        @@ -2,7 +2,7 @@
         2
         3
         4
        -5
        +five
         6
         7
         8

        """)
  }

  @Test("Changes that are near share a hunk, and others do not") func hunks() {
    let lines = (1...30).map { "\($0)\n" }
    func changed(_ numbers: Int...) -> String {
      lines.enumerated().map { numbers.contains($0 + 1) ? "x\n" : $1 }.joined()
    }
    let old = lines.joined()
    #expect(diff(old, changed(10, 17)).components(separatedBy: "@@ -").count == 2)
    #expect(diff(old, changed(10, 18)).components(separatedBy: "@@ -").count == 3)
    #expect(diff(old, changed(1)).contains("@@ -1,4 +1,4 @@\n-1\n+x\n"))
    #expect(diff(old, changed(30)).contains("@@ -27,4 +27,4 @@\n"))
  }

  @Test("A text without a line feed at its end says so") func noNewline() {
    #expect(
      diff("a\nb", "a\nb\n") == """
        --- a/f
        +++ b/f
        @@ -1,2 +1,2 @@
         a
        -b
        \\ No newline at end of file
        +b

        """)
    #expect(diff("x", "y").hasSuffix("-x\n\\ No newline at end of file\n+y\n\\ No newline at end of file\n"))
  }

  @Test("A file that is made or removed has /dev/null on the other side") func absence() {
    #expect(diff(nil, "a\n") == "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n")
    #expect(diff("a\nb\n", nil) == "--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n")
    #expect(diff(nil, "") == "--- /dev/null\n+++ b/f\n")
  }

  @Test("Names that would end early are quoted") func names() {
    #expect(diff("", "a\n", path: "my file").hasPrefix("--- a/my file\t\n+++ b/my file\t\n"))
    #expect(diff("", "a\n", path: "a\n\"é").hasPrefix("--- \"a/a\\012\\\"\\303\\251\"\n"))
  }

  @Test("Colours are for terminals that have them") func colors() {
    let difference = UnifiedDiff(
      from: .init(path: "f", contents: Data("a\n".utf8)), to: .init(path: "f", contents: Data("b\n".utf8)))
    let text = String(
      decoding: difference.text(styled: Terminal(isInteractive: true, hasColors: true)), as: UTF8.self)
    #expect(text.contains("\u{1B}[31m-a\u{1B}[0m\n\u{1B}[32m+b\u{1B}[0m\n"))
  }

  @Test("Applying the changes to the old lines gives the new lines, for every pair of small texts")
  func everySmallPair() {
    let texts = Self.sequences(of: 3, upTo: 4)
    for old in texts {
      for new in texts {
        let changes = LineDifference.changes(from: old, to: new)
        #expect(Self.applied(changes, old, new) == new)
        #expect(changes.isEmpty == (old == new))
        for (first, second) in zip(changes, changes.dropFirst()) {
          #expect(first.old.upperBound < second.old.lowerBound && first.new.upperBound < second.new.lowerBound)
        }
      }
    }
  }

  @Test("Long texts with many changes, and long unrelated texts, are compared") func longTexts() {
    let old = (0..<40_000).map { $0 % 7 == 0 ? 0 : $0 }
    let new = old.enumerated().filter { $0.offset % 11 != 3 }.map(\.element) + [1, 2, 3]
    #expect(Self.applied(LineDifference.changes(from: old, to: new), old, new) == new)
    let other = (0..<40_000).map { ($0 * 7_919) % 13 }
    #expect(Self.applied(LineDifference.changes(from: old, to: other), old, other) == other)
    #expect(Self.applied(LineDifference.changes(from: other.reversed(), to: other), other.reversed(), other) == other)
  }

  @Test("Changes at both ends of a long text leave the lines between them alone") func farChanges() {
    let old = (0..<9_000).map { $0 % 7 == 0 ? 0 : $0 }
    var new = old
    new[10] = -1
    new.remove(at: 8_990)
    #expect(
      LineDifference.changes(from: old, to: new) == [
        .init(old: 10..<11, new: 10..<11), .init(old: 8_990..<8_991, new: 8_990..<8_990),
      ])
  }

  private static func applied(_ changes: [LineDifference.Change], _ old: [Int], _ new: [Int]) -> [Int] {
    var result: [Int] = []
    var position = 0
    for change in changes {
      result += old[position..<change.old.lowerBound]
      result += new[change.new]
      position = change.old.upperBound
    }
    return result + old[position...]
  }

  private static func sequences(of letters: Int, upTo length: Int) -> [[Int]] {
    var all: [[Int]] = [[]]
    var last: [[Int]] = [[]]
    for _ in 0..<length {
      last = last.flatMap { sequence in (0..<letters).map { sequence + [$0] } }
      all += last
    }
    return all
  }
}

@Suite("What a stream can show") struct TerminalTests {
  @Test("A pipe has no colours, whatever the environment says") func pipe() throws {
    let pipe = ChildProcess.pipe()
    let terminal = Terminal(
      descriptor: pipe.fileHandleForWriting.fileDescriptor, environment: ["TERM": "xterm-256color"])
    #expect(!terminal.isInteractive && !terminal.hasColors)
    #expect(terminal.styled("text", .red) == "text")
  }

  @Test("A terminal has colours unless NO_COLOR is set, or it is called dumb or nothing") func terminal() throws {
    let descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    func terminal(_ environment: [String: String]) -> Terminal {
      Terminal(descriptor: descriptor, environment: environment)
    }
    #expect(terminal(["TERM": "xterm"]).hasColors)
    #expect(terminal(["TERM": "xterm", "NO_COLOR": ""]).hasColors)
    #expect(!terminal(["TERM": "xterm", "NO_COLOR": "1"]).hasColors)
    #expect(terminal(["TERM": "xterm", "NO_COLOR": "1"]).isInteractive)
    #expect(!terminal(["TERM": "dumb"]).isInteractive)
    #expect(!terminal([:]).isInteractive)
    #expect(Terminal(isInteractive: true, hasColors: true).styled("text", .red) == "\u{1B}[31mtext\u{1B}[0m")
  }
}
