/// A value that could not be written when its row was bound.
///
/// At that time the object may have a key that it does not keep. So its identifier is read only after the failed save.
struct UnwritableValueError: InternalError {
  let object: ObjectIdentifier
  let entityName: String
  let propertyName: String
  let problem: String

  /// The problem as a validation problem of the object, if it is among the saved objects.
  ///
  /// - Parameter place: the database and its host; `nil` for a file.
  func validationProblem(in objects: some Sequence<any PersistentModel>, at place: String?) -> ValidationProblem? {
    let words = problem + (place.map { " (\($0))" } ?? "")
    return objects.first { ObjectIdentifier($0) == object }
      .map { ValidationProblem($0, entityName, propertyName, .value, words) }
  }
}

extension UnwritableValueError: CustomStringConvertible {
  var description: String { "\(entityName).\(propertyName) \(problem)" }
}
