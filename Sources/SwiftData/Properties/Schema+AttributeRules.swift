public import Foundation

/// Rules that each save checks, as in Core Data's models; one `@Attribute` may have several rules.
///
///     @Attribute(.minimum(1), .maximum(99)) var copies: Int
///     @Attribute(.length(1...40), .matches("[A-Z].*")) var title: String
///
/// `nil` breaks no rule. Not in Apple's framework.
extension Schema.Attribute.Option {
  /// Requires a value of at least this number.
  public static func minimum(_ value: Int) -> Self { Self(kind: .minimum(.integer(Int64(value)))) }
  /// Requires a value of at least this number.
  public static func minimum(_ value: Double) -> Self { Self(kind: .minimum(.double(value))) }
  /// Requires a value of at least this number.
  public static func minimum(_ value: Decimal) -> Self { Self(kind: .minimum(.decimal(value))) }
  /// Requires this date or a later one.
  public static func minimum(_ value: Date) -> Self { Self(kind: .minimum(.date(value))) }
  /// Requires a value of at most this number.
  public static func maximum(_ value: Int) -> Self { Self(kind: .maximum(.integer(Int64(value)))) }
  /// Requires a value of at most this number.
  public static func maximum(_ value: Double) -> Self { Self(kind: .maximum(.double(value))) }
  /// Requires a value of at most this number.
  public static func maximum(_ value: Decimal) -> Self { Self(kind: .maximum(.decimal(value))) }
  /// Requires this date or an earlier one.
  public static func maximum(_ value: Date) -> Self { Self(kind: .maximum(.date(value))) }

  /// Requires a length within these bounds, in UTF-16 code units as in Core Data.
  public static func length(_ bounds: ClosedRange<Int>) -> Self {
    Self(kind: .length(minimum: bounds.lowerBound, maximum: bounds.upperBound))
  }
  /// Requires at least this many UTF-16 code units.
  public static func length(_ bounds: PartialRangeFrom<Int>) -> Self {
    Self(kind: .length(minimum: bounds.lowerBound, maximum: nil))
  }
  /// Requires at most this many UTF-16 code units.
  public static func length(_ bounds: PartialRangeThrough<Int>) -> Self {
    Self(kind: .length(minimum: nil, maximum: bounds.upperBound))
  }

  /// Requires that a regular expression (ICU's syntax) matches the whole string.
  public static func matches(_ pattern: String) -> Self { Self(kind: .matches(pattern)) }

  /// Requires a value that satisfies a predicate in `NSPredicate`'s format, where `SELF` is the value.
  ///
  /// A broken rule is reported with the message, if there is one: `.rule("SELF CONTAINS '@'", message: "needs an @")`.
  public static func rule(_ predicate: String, message: String? = nil) -> Self {
    Self(kind: .rule(predicate, message: message))
  }
}

/// A bound of a rule.
enum RuleValue: Codable, Hashable, Sendable {
  case integer(Int64)
  case decimal(Decimal)
  case double(Double)
  case date(Date)
}
