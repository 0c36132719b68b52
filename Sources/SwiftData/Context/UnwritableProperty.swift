/// A value that cannot be written, met while its row was bound.
///
/// The object may have a key then that it does not keep: its identifier is asked for only once that is settled.
struct UnwritableProperty: Error {
  let object: ObjectIdentifier
  let entityName: String
  let propertyName: String
  let problem: String

  /// The same, about the object among those that were to be saved.
  func validationProblem(in objects: some Sequence<any PersistentModel>) -> ValidationProblem? {
    objects.first { ObjectIdentifier($0) == object }
      .map { ValidationProblem($0, entityName, propertyName, problem) }
  }
}

extension UnwritableProperty: CustomStringConvertible {
  var description: String { "\(entityName).\(propertyName) \(problem)" }
}
