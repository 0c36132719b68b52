internal import ErrorReporting

/// The rows that a reader reads, which tell the property and the row of a value that does not fit.
///
/// Asked after a value did not fit, and not before: rows whose values fit cost nothing.
protocol RowOrigin: AnyObject {
  /// What the engine knows of the value in a column of the reader.
  func misfit(_ column: Int) -> String?
  /// Reports the present row's value in a column of the reader.
  ///
  /// - Parameter reason: what is wrong, of the property's type.
  func report(_ column: Int, _ reason: (any Any.Type) -> String)
}

/// The place of a stored value, for reports of values that do not fit.
struct ValuePlace {
  /// `nil` if the rows are not those of objects.
  var origin: (any RowOrigin)?
  /// The reader's number for the value's first column.
  var column = 0
  /// Whether an archive is made of JSON; set for values that may be archives only.
  var isJSON = false

  /// Reports a value that is not `NULL` and gives no value of a type.
  ///
  /// - Parameters:
  ///   - type: the type; that of the property if `nil`.
  ///   - error: the reason, unless the engine knows a better one.
  ///   - member: the member of a structure that has the value.
  func reportMisfit(_ type: (any Any.Type)? = nil, _ error: (any Error)? = nil, member: String? = nil) {
    let value = member.map { "the stored value of its member \(quoted($0))" } ?? "the stored value"
    let known = origin?.misfit(column) ?? error.map { "\($0)" }
    func reason(_ propertyType: any Any.Type) -> String {
      let problem =
        known.map { "\(value) cannot be read as \(type ?? propertyType): \($0)" }
        ?? "\(value) is no \(type ?? propertyType)"
      return "\(problem); it reads as nil, as the property's default or as its type's zero"
    }
    if let origin { return origin.report(column, reason) }
    if let type { UnreadableValue.report(UnreadableValue.Subject(type: ObjectIdentifier(type)), reason(type)) }
  }

  /// Reports a number that the property's type cannot hold; does nothing if the rows are not those of objects.
  func reportOutOfRange() {
    origin?.report(column) { "the stored number is beyond the bounds of \($0), and reads as the nearest one" }
  }
}
