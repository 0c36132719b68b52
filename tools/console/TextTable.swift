import ErrorReporting

/// Cells in columns, each as wide as its widest cell, for a terminal or a file.
package struct TextTable: Sendable {
  package enum Alignment: Sendable { case leading, trailing }

  package var header: [String]
  package var rows: [[String]]
  /// An alignment for each column; a column without one is aligned at its beginning.
  package var alignments: [Alignment]

  package init(header: [String], rows: [[String]], alignments: [Alignment] = []) {
    self.header = header
    self.rows = rows
    self.alignments = alignments
  }

  /// A line for the header and for each row, without trailing spaces. The header is bold if the terminal can show it.
  package func lines(styled terminal: Terminal = .plain) -> [String] {
    let cells = ([header] + rows).map { $0.map(onOneLine) }
    let count = cells.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in cells.map { column < $0.count ? columnWidth($0[column]) : 0 }.max() ?? 0 }
    return cells.enumerated().map { number, row in
      let line = row.enumerated().map { column, cell in
        let blanks = String(repeating: " ", count: widths[column] - columnWidth(cell))
        return column < alignments.count && alignments[column] == .trailing ? blanks + cell : cell + blanks
      }.joined(separator: "  ")
      let text = String(line.reversed().drop { $0 == " " }.reversed())
      return number == 0 ? terminal.styled(text, .bold) : text
    }
  }
}

/// The number of terminal columns that a text takes: two for each wide East Asian character (Unicode UAX #11) or emoji.
package func columnWidth(_ text: String) -> Int {
  text.utf8.count == text.unicodeScalars.count
    ? text.utf8.count
    : text.reduce(0) { width, character in
      guard let scalar = character.unicodeScalars.first else { return width }
      let isWide =
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
          0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF, 0x20000...0x3FFFD:
          true
        default:
          // U+FE0F requests the emoji form of a character that also has a text form.
          scalar.properties.isEmojiPresentation
            || scalar.properties.isEmoji && character.unicodeScalars.contains("\u{FE0F}")
        }
      return width + (isWide ? 2 : 1)
    }
}
