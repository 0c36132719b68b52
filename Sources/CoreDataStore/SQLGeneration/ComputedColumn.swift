import ManagedModel
import SQLite

/// A derived attribute that no trigger keeps, and that each write of its row computes (CD-8).
///
/// These are `now()`, the moment of the save, and `canonical:`, `uppercase:` and `lowercase:` of a text of the same row. What
/// other derivations yield, sums for one, stays as it was.
enum ComputedColumn {
  case now
  /// An SQL function of the value of an attribute.
  case function(String, of: String)

  init?(_ attribute: AttributeLayout, of entity: EntityLayout) {
    guard let derivation = attribute.description.derivation, derivation.filteringPredicate == nil,
      let format = derivation.expressionFormat
    else { return nil }
    if format == "now()" {
      guard attribute.description.type == .date else { return nil }
      self = .now
      return
    }
    let functions = [
      "canonical:": SQLText.name(of: .canonical), "uppercase:": SQLText.name(of: .uppercased),
      "lowercase:": SQLText.name(of: .lowercased),
    ]
    guard attribute.description.type == .string,
      let (prefix, function) = functions.first(where: { format.hasPrefix($0.key + "(") })
    else { return nil }
    let name = String(format.dropFirst(prefix.count + 1).dropLast())
    guard case .attribute(let source)? = entity.property(named: name), source.description.type == .string else {
      return nil
    }
    self = .function(function, of: name)
  }

  /// The value as SQL, where `written` gives the new value of an attribute; `nil` if nothing that it depends on is written.
  func sql(written: (String) -> String?) -> String? {
    switch self {
    // Julian days to seconds since 2001-01-01T00:00:00Z (CD-5).
    case .now: "(julianday('now') - 2451910.5) * 86400.0"
    case .function(let function, let source): written(source).map { "\(function)(\($0))" }
    }
  }
}
