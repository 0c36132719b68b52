import ManagedModel
import SQLite
import StoreRequests

/// A derived attribute that depends on the object's own row alone, and that each write of the row computes (CD-8).
///
/// These are `now()`, the moment of the save, another attribute of the object, and `canonical:`, `uppercase:` and `lowercase:`
/// of one. For those that relationships are part of see ``Derivation``; what other expressions yield stays as it was.
enum ComputedColumn {
  case now
  /// What an attribute, or an element of a composite, holds.
  case copy(of: Identifier)
  /// A function of a text.
  case function(StringFunction, of: Identifier)

  init?(_ attribute: AttributeLayout, of entity: EntityLayout) {
    guard let derivation = attribute.description.derivation, derivation.filteringPredicate == nil else { return nil }
    if derivation.expressionFormat == "now()" {
      guard attribute.description.type == .date else { return nil }
      self = .now
      return
    }
    guard let expression = DerivationExpression(derivation.expression),
      case .value(let function) = expression.operation,
      let source = entity.attributeColumn(expression.path), source.name != attribute.column?.name
    else { return nil }
    guard let function else {
      self = .copy(of: source.name)
      return
    }
    guard attribute.description.type == .string, source.attribute.type == .string else { return nil }
    self = .function(function, of: source.name)
  }

  /// The value as SQL, where `written` gives the new value of a column; `nil` if nothing that it depends on is written.
  func sql(written: (Identifier) -> String?) -> String? {
    switch self {
    // Julian days to seconds since 2001-01-01T00:00:00Z (CD-5).
    case .now: "(julianday('now') - 2451910.5) * 86400.0"
    case .copy(let source): written(source)
    case .function(let function, let source): written(source).map { "\(SQLText.name(of: function))(\($0))" }
    }
  }
}

extension EntityLayout {
  /// The column of an attribute, or of an element of a composite, by its path.
  func attributeColumn(_ path: [String]) -> AttributeColumn? {
    guard let first = path.first, case .attribute(let attribute)? = property(named: first) else { return nil }
    return path.count == 1 ? attribute.column : attribute.column(at: path)
  }
}
