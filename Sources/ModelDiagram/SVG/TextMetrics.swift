/// Estimates the width of text in a sans-serif font that the reader's machine chooses.
///
/// The widths are slightly larger than the widths of Helvetica and Arial, so that the text fits.
enum TextMetrics {
  /// The width in pixels.
  static func width(_ text: String, size: Int, isBold: Bool = false) -> Int {
    let thousandths = text.unicodeScalars.reduce(0) { $0 + width(of: $1) }
    return (thousandths * size * (isBold ? 108 : 102) + 99_999) / 100_000
  }

  /// The text; if it is wider than `limit` pixels, it is cut and ends with an ellipsis.
  static func fitted(_ text: String, size: Int, limit: Int, isBold: Bool = false) -> String {
    guard width(text, size: size, isBold: isBold) > limit else { return text }
    var result = ""
    for character in text {
      if width(result + String(character) + "…", size: size, isBold: isBold) > limit { break }
      result.append(character)
    }
    return result + "…"
  }

  private static func width(of scalar: Unicode.Scalar) -> Int {
    switch scalar {
    case "i", "j", "l", "'", "|": 240
    case " ", ".", ",", ":", ";", "!", "/", "\\", "I", "f", "t", "[", "]": 290
    case "r", "(", ")", "-", "*", "`", "\"": 350
    case "m", "M", "W", "@", "%": 900
    case "w", "C", "D", "G", "H", "N", "O", "Q", "R", "U", "&": 740
    case "A", "B", "E", "K", "P", "S", "V", "X", "Y", "_", "+", "=", "<", ">", "~": 670
    case "\u{0}"..."\u{7F}": 570
    case "\u{300}"..."\u{36F}": 0
    case "\u{80}"..."\u{10FF}": 650
    default: 1_050
    }
  }
}
