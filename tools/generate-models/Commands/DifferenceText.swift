import ErrorReporting
import ManagedModel
import ToolConsole

/// The difference of two versions as text: entity by entity, with the verdict at the end.
struct DifferenceText {
  private let difference: ModelDifference
  private let old: String
  private let new: String
  private let terminal: Terminal
  /// The mapping model between the versions.
  private let mapping: String?

  init(_ difference: ModelDifference, from old: String, to new: String, mapping: String? = nil, terminal: Terminal) {
    self.mapping = mapping
    self.difference = difference
    self.old = onOneLine(old)
    self.new = onOneLine(new)
    self.terminal = terminal
  }

  var lines: [String] {
    var lines = [terminal.styled("\(old) → \(new)", .bold)]
    for (entity, changes) in groups {
      lines += ["", terminal.styled(onOneLine(entity), .bold)] + changes.map(line)
    }
    return lines + [""] + verdict
  }

  /// Changes by entity, in the order of their first mention.
  private var groups: [(entity: String, changes: [ModelChange])] {
    var groups: [(entity: String, changes: [ModelChange])] = []
    var positions: [String: Int] = [:]
    for change in difference.changes {
      if let position = positions[change.entity] {
        groups[position].changes.append(change)
      } else {
        positions[change.entity] = groups.count
        groups.append((change.entity, [change]))
      }
    }
    return groups
  }

  private func line(_ change: ModelChange) -> String {
    let (mark, style): (String, Terminal.Style) =
      switch change.migration {
      case .none: (" ", .plain)
      case .lightweight: ("~", .cyan)
      case .custom: ("!", .red)
      }
    let text = (change.property.map { "\(onOneLine($0)): " } ?? "") + change.phrase
    let reason = change.obstacleDescription.map { "\n      \($0)" } ?? ""
    return terminal.styled("  \(mark) \(text)\(reason)", style)
  }

  private var verdict: [String] {
    guard !difference.isEmpty else { return ["Nothing that a store or a class depends on differs."] }
    let count = { (matches: (ModelChange.Migration) -> Bool) in difference.changes.count { matches($0.migration) } }
    let free = count { $0 == .none }
    let light = count { $0 == .lightweight }
    let heavy = difference.changes.count - free - light
    var parts: [String] = []
    if free > 0 { parts.append("\(free) without effect on a store") }
    if light > 0 { parts.append("\(light) that can be inferred (~)") }
    if heavy > 0 { parts.append("\(heavy) that cannot (!)") }
    let changes = counted(difference.changes.count, "change")
    return ["\(changes): \(parts.joined(separator: ", "))", terminal.styled(conclusion, .bold)]
  }

  private var conclusion: String {
    if !difference.needsMigration { return "No migration: a store of \(old) opens with \(new) as it is." }
    if let mapping {
      return "The mapping model \(quoted(mapping)) does it: the generated plan has a custom stage for it."
    }
    return difference.isLightweight
      ? "A lightweight migration does it." : "A lightweight migration is not enough: write a custom stage."
  }
}
