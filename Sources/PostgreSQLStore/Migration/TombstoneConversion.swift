import ManagedModel
import PostgreSQL

/// SQL for a value in a tombstone (``Tombstone``) whose attribute gets another type. It is converted as that of a row; one that does not
/// fit goes.
struct TombstoneConversion {
  private let old: AttributeType
  private let new: AttributeType
  private let conversion: ValueConversion

  /// `nil` for types whose values have one form in tombstones, and for types without conversion.
  init?(from old: AttributeType, to new: AttributeType) {
    let isNumber = new.isNumber || new == .string
    guard old != new, old.isNumber, isNumber, let conversion = old.conversion(to: new) else { return nil }
    (self.old, self.new, self.conversion) = (old, new, conversion)
  }

  /// The value in its new form, or `NULL`.
  ///
  /// - Parameter value: an expression for the value in its old form.
  func converted(_ value: String) -> String {
    let text = "coalesce(\(value) ->> 'integer', \(value) ->> 'real', \(value) ->> 'text')"
    let typed = old == .boolean ? "(\(text)::integer <> 0)" : "(\(text)::\(DataType(old)?.sql ?? "text"))"
    let result = conversion.sql(typed)
    let (kind, form) =
      switch new {
      case .boolean: ("integer", "\(result)::integer::text")
      case .integer16, .integer32, .integer64: ("integer", "\(result)::text")
      case .double, .float: ("real", "\(result)::text")
      default: ("text", "\(result)::text")
      }
    let misfit = conversion.misfits.map { "WHEN \($0(typed)) THEN NULL " } ?? ""
    // A structure without values is an empty object.
    return
      "CASE WHEN \(value) = '{}' THEN \(value) WHEN \(text) IS NULL THEN NULL \(misfit)ELSE jsonb_build_object('\(kind)', \(form)) END"
  }
}
