import Foundation
import ToolConsole

/// The difference of two files in the format of `diff -u`, which `patch -p1` and `git apply` read.
struct UnifiedDiff {
  /// One of the two states of a file; the file is absent if `contents` is `nil`.
  struct Side {
    var path: String
    var contents: Data?
  }

  struct Line: Equatable {
    enum Kind {
      case header, hunk, context, removed, added, remark
    }

    var kind: Kind
    /// The bytes of the line, of any encoding, without the line feed.
    var bytes: [UInt8]
  }

  /// Empty if both sides are equal, or absent.
  let lines: [Line]

  /// Cost: time near linear in the lengths; bounded if the texts have little in common.
  init(from old: Side, to new: Side, context: Int = 3) {
    let texts = (Self.lines(of: old.contents), Self.lines(of: new.contents))
    let changes = LineDifference.changes(from: texts.0, to: texts.1)
    guard !changes.isEmpty || (old.contents == nil) != (new.contents == nil) else {
      lines = []
      return
    }
    var lines = [
      Line(kind: .header, bytes: Array("--- \(Self.name(old, prefix: "a/"))".utf8)),
      Line(kind: .header, bytes: Array("+++ \(Self.name(new, prefix: "b/"))".utf8)),
    ]
    for hunk in Self.hunks(changes, context: context) {
      Self.append(hunk, of: texts.0, texts.1, context: context, to: &lines)
    }
    self.lines = lines
  }

  /// The text, in colors on a terminal that supports them.
  func text(styled terminal: Terminal) -> Data {
    var data = Data()
    for line in lines {
      let style = line.kind.style
      if terminal.hasColors, style != .plain {
        data.append(contentsOf: "\u{1B}[\(style.rawValue)m".utf8)
        data.append(contentsOf: line.bytes)
        data.append(contentsOf: "\u{1B}[0m".utf8)
      } else {
        data.append(contentsOf: line.bytes)
      }
      data.append(UInt8(ascii: "\n"))
    }
    return data
  }
}

extension UnifiedDiff.Line.Kind {
  fileprivate var style: Terminal.Style {
    switch self {
    case .header: .bold
    case .hunk: .cyan
    case .removed: .red
    case .added: .green
    case .context, .remark: .plain
    }
  }
}

extension UnifiedDiff {
  /// The lines with their line feeds; only the last line may have none.
  private static func lines(of contents: Data?) -> [ArraySlice<UInt8>] {
    let bytes = Array(contents ?? Data())
    var lines: [ArraySlice<UInt8>] = []
    var start = 0
    for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") {
      lines.append(bytes[start...index])
      start = index + 1
    }
    if start < bytes.count { lines.append(bytes[start...]) }
    return lines
  }

  /// A name in the form that `patch` reads: quoted if it has control characters, quotes or backslashes, with a trailing
  /// tab if it has a space.
  private static func name(_ side: Side, prefix: String) -> String {
    guard side.contents != nil else { return "/dev/null" }
    let path = prefix + side.path
    guard path.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") })
    else { return path.contains(" ") ? path + "\t" : path }
    var quoted = "\""
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): quoted += "\\" + String(UnicodeScalar(byte))
      case 0x20..<0x7F: quoted.unicodeScalars.append(UnicodeScalar(byte))
      default:
        let octal = String(byte, radix: 8)
        quoted += "\\" + String(repeating: "0", count: 3 - octal.count) + octal
      }
    }
    return quoted + "\""
  }

  /// Groups changes whose contexts overlap or touch.
  private static func hunks(_ changes: [LineDifference.Change], context: Int) -> [[LineDifference.Change]] {
    var hunks: [[LineDifference.Change]] = []
    for change in changes {
      if let last = hunks.last?.last, change.old.lowerBound - last.old.upperBound <= 2 * context {
        hunks[hunks.count - 1].append(change)
      } else {
        hunks.append([change])
      }
    }
    return hunks
  }

  private static func append(
    _ hunk: [LineDifference.Change], of old: [ArraySlice<UInt8>], _ new: [ArraySlice<UInt8>], context: Int,
    to lines: inout [Line]
  ) {
    guard let first = hunk.first, let last = hunk.last else { return }
    let before = min(context, first.old.lowerBound)
    let after = min(context, old.count - last.old.upperBound)
    let oldRange = first.old.lowerBound - before..<last.old.upperBound + after
    let newRange = first.new.lowerBound - before..<last.new.upperBound + after
    lines.append(
      Line(kind: .hunk, bytes: Array("@@ -\(Self.range(oldRange)) +\(Self.range(newRange)) @@".utf8)))
    var position = oldRange.lowerBound
    for change in hunk {
      for index in position..<change.old.lowerBound { append(old[index], .context, " ", to: &lines) }
      for index in change.old { append(old[index], .removed, "-", to: &lines) }
      for index in change.new { append(new[index], .added, "+", to: &lines) }
      position = change.old.upperBound
    }
    for index in position..<oldRange.upperBound { append(old[index], .context, " ", to: &lines) }
  }

  /// `start,count`, counted from 1; an empty range gives the line before it (GNU diff, Detailed Unified).
  private static func range(_ range: Range<Int>) -> String {
    let start = range.isEmpty ? range.lowerBound : range.lowerBound + 1
    return range.count == 1 ? "\(start)" : "\(start),\(range.count)"
  }

  private static func append(
    _ line: ArraySlice<UInt8>, _ kind: Line.Kind, _ sign: Unicode.Scalar, to lines: inout [Line]
  ) {
    let isEnded = line.last == UInt8(ascii: "\n")
    lines.append(Line(kind: kind, bytes: [UInt8(ascii: sign)] + (isEnded ? line.dropLast() : line)))
    if !isEnded { lines.append(Line(kind: .remark, bytes: Array("\\ No newline at end of file".utf8))) }
  }
}
