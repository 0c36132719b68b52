import ManagedModel
import PostgreSQL
import StoreRequests

/// How the values of a derived attribute come about. An attribute with an expression that is none of these is a plain attribute.
enum Derivation: Sendable {
  /// Each save of a row computes the value from the row itself.
  case row(RowDerivation)
  /// Triggers compute the value from the rows that relationships lead to.
  case path(PathDerivation)

  /// `nil` if the attribute is not derived, or if the expression is not supported.
  init?(_ attribute: AttributeLayout, of entity: StoreEntity, in layout: StoreLayout) {
    if let derivation = RowDerivation(attribute, of: entity, in: layout) {
      self = .row(derivation)
    } else if let derivation = PathDerivation(attribute, of: entity, in: layout) {
      self = .path(derivation)
    } else {
      return nil
    }
  }
}

/// A derived attribute that depends on the object's own row only: `now()`, the time of the save; another attribute; or `canonical:`,
/// `uppercase:` or `lowercase:` of one.
///
/// A generated column of the server could not compute them all: its functions of texts are not Swift's, and it has no time.
struct RowDerivation: Sendable {
  let column: ColumnLayout
  let source: Source

  enum Source: Sendable {
    case now
    case copy(of: ColumnLayout)
    case function(StringFunction, of: ColumnLayout)

    var column: ColumnLayout? {
      switch self {
      case .now: nil
      case .copy(let column), .function(_, let column): column
      }
    }
  }

  init?(_ attribute: AttributeLayout, of entity: StoreEntity, in layout: StoreLayout) {
    guard let derivation = attribute.attribute.description.derivation, derivation.filteringPredicate == nil,
      attribute.columns.count == 1
    else { return nil }
    column = attribute.columns[0]
    if derivation.expressionFormat == "now()" {
      guard column.type == .moment else { return nil }
      source = .now
      return
    }
    guard let expression = DerivationExpression(derivation.expression),
      case .value(let function) = expression.operation,
      let source = layout.attributeColumn(expression.path, of: entity), source.name != column.name
    else { return nil }
    if let function {
      guard column.type == .text, source.type == .text else { return nil }
      self.source = .function(function, of: source)
    } else {
      guard source.type == column.type else { return nil }
      self.source = .copy(of: source)
    }
  }

  /// The value in SQL, from columns with an alias in front. A function of a text is right for ASCII; see ``DerivedTexts``.
  func sql(_ alias: String) -> String {
    switch source {
    case .now: "clock_timestamp()"
    case .copy(let column): "\(alias).\(column.name)"
    case .function(let function, let column): function.derivationSQL("\(alias).\(column.name)")
    }
  }
}

extension StringFunction {
  /// The function of a derivation for texts of ASCII. Letters beyond ASCII stay, since the columns have the collation `C`.
  func derivationSQL(_ text: String) -> String { "\(self == .uppercased ? "upper" : "lower")(\(text))" }
}

extension StoreLayout {
  /// The column of an attribute, or of an element of a composite, by its path; `nil` if there is none, or several.
  func attributeColumn(_ path: [String], of entity: StoreEntity) -> ColumnLayout? {
    guard let first = path.first, case .attribute? = try? property(first, of: entity) else { return nil }
    return try? column(first, element: Array(path.dropFirst()), of: entity).column
  }
}
