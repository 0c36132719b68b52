/// Colors for a light and a dark background.
///
/// Dark colors are a second set of rules for the same classes. CSS variables would be shorter, but several SVG viewers
/// do not support them.
enum SVGStyle {
  static let hueCount = 8

  /// The colors of lines and headings by hue, for a light and a dark background.
  private static let light = [
    ("#2f6fab", "#dbe8f5"), ("#a8472f", "#f6e1da"), ("#39793a", "#def0dc"), ("#7a4fa3", "#ebe0f5"),
    ("#8f6a12", "#f5ebcf"), ("#14777d", "#d5eff0"), ("#a63d78", "#f7dfec"), ("#56606b", "#e5e8ec"),
  ]
  private static let dark = [
    ("#7fb4e8", "#213a52"), ("#ea9a83", "#54301f"), ("#8ccb8a", "#1f4222"), ("#c3a1e6", "#3c2a54"),
    ("#dcb65a", "#4a3a12"), ("#6fc7cc", "#12444a"), ("#ec94c3", "#54233f"), ("#aeb8c2", "#343b44"),
  ]

  static let text: String = {
    var rules = [
      "text{font:12px Helvetica,Arial,sans-serif;fill:#1c232b}",
      ".page{fill:#ffffff}",
      ".title{font-size:18px;font-weight:bold}",
      ".note,.type,.remark{fill:#5a6672}",
      ".type{text-anchor:end}",
      ".name{font-size:13px;font-weight:bold;text-anchor:middle}",
      ".unique{fill:#39793a}",
      ".cascade{fill:#b3261e}",
      ".deny{fill:#9a5b00}",
      ".transient,.abstract .name{font-style:italic}",
      ".transient{fill:#5a6672}",
      ".body{fill:#ffffff;stroke-width:1.2}",
      ".abstract .body{stroke-dasharray:5 3}",
      ".rule{stroke:#c9d1d9;fill:none}",
      ".link{fill:none;stroke-width:1.3}",
      ".link:hover{stroke-width:3}",
      ".inheritance{stroke:#1c232b;stroke-width:1.3}",
      ".arrow{fill:#ffffff}",
    ]
    rules += hues(light)
    rules += ["@media (prefers-color-scheme: dark){", "text{fill:#e3e8ee}", ".page,.body,.arrow{fill:#14181d}"]
    rules += [
      ".note,.type,.remark,.transient{fill:#9aa7b4}", ".unique{fill:#8ccb8a}", ".cascade{fill:#ff8a80}",
      ".deny{fill:#f0b45a}", ".rule{stroke:#3a444f}", ".inheritance{stroke:#e3e8ee}",
    ]
    rules += hues(dark) + ["}"]
    return rules.joined(separator: "\n")
  }()

  private static func hues(_ colors: [(line: String, heading: String)]) -> [String] {
    colors.enumerated().flatMap { index, color in
      [".h\(index) .body,.link.h\(index){stroke:\(color.line)}", ".h\(index) .head{fill:\(color.heading)}"]
    }
  }
}
