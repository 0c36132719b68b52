public import Foundation

/// Rules that a save checks, as Core Data's models state them; several may stand in one `@Attribute`.
///
///     @Attribute(.minimum(1), .maximum(99)) var copies: Int
///     @Attribute(.length(1...40), .matches("[A-Z].*")) var title: String
///
/// A value of `nil` breaks no rule. Not in Apple's framework.
extension Schema.Attribute.Option {
  /// The value is at least this.
  public static func minimum(_ value: Int) -> Self { Self(kind: .minimum(.integer(Int64(value)))) }
  /// The value is at least this.
  public static func minimum(_ value: Double) -> Self { Self(kind: .minimum(.double(value))) }
  /// The value is at least this.
  public static func minimum(_ value: Decimal) -> Self { Self(kind: .minimum(.decimal(value))) }
  /// The value is this moment, or later.
  public static func minimum(_ value: Date) -> Self { Self(kind: .minimum(.date(value))) }
  /// The value is at most this.
  public static func maximum(_ value: Int) -> Self { Self(kind: .maximum(.integer(Int64(value)))) }
  /// The value is at most this.
  public static func maximum(_ value: Double) -> Self { Self(kind: .maximum(.double(value))) }
  /// The value is at most this.
  public static func maximum(_ value: Decimal) -> Self { Self(kind: .maximum(.decimal(value))) }
  /// The value is this moment, or earlier.
  public static func maximum(_ value: Date) -> Self { Self(kind: .maximum(.date(value))) }

  /// The string has this many UTF-16 code units, as Core Data counts.
  public static func length(_ bounds: ClosedRange<Int>) -> Self {
    Self(kind: .length(minimum: bounds.lowerBound, maximum: bounds.upperBound))
  }
  /// The string has at least this many UTF-16 code units.
  public static func length(_ bounds: PartialRangeFrom<Int>) -> Self {
    Self(kind: .length(minimum: bounds.lowerBound, maximum: nil))
  }
  /// The string has at most this many UTF-16 code units.
  public static func length(_ bounds: PartialRangeThrough<Int>) -> Self {
    Self(kind: .length(minimum: nil, maximum: bounds.upperBound))
  }

  /// The string as a whole matches a regular expression (ICU's).
  public static func matches(_ pattern: String) -> Self { Self(kind: .matches(pattern)) }

  /// The value satisfies a predicate in `NSPredicate`'s format, where `SELF` is the value; the message says so in the
  /// program's own words: `.rule("SELF CONTAINS '@'", message: "needs an @")`.
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
