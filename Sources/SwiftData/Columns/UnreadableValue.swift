internal import Logging
internal import StoreRequests
internal import Synchronization

/// Logs stored values that do not fit their properties' types: the first one of each property of a store.
///
/// Such a value reads as `nil`, as the property's default or as its type's zero, and a number as the nearest bound of its type. The row
/// keeps it until the property is assigned.
enum UnreadableValue {
  /// What is logged once: a property of a class in a store, or the type of a value whose property is not known.
  private struct Subject: Hashable {
    var store = ""
    var place = ""
    let type: ObjectIdentifier
    var property = -1
  }

  private static let reported = Mutex<Set<Subject>>([])

  /// Reports a row's value of a property.
  ///
  /// - Parameters:
  ///   - row: the row's identifier.
  ///   - reason: what is wrong, of the property's type.
  static func report(
    _ property: Int, of type: any PersistentModel.Type, in store: OpenStore,
    row: @autoclosure () -> PersistentIdentifier?,
    _ reason: (any Any.Type) -> String
  ) {
    let place = store.configuration.place
    let subject = Subject(
      store: store.engine.identifier, place: place, type: ObjectIdentifier(type), property: property)
    guard isNew(subject) else { return }
    let model = ModelClass.of(type)
    guard let property = model.property(at: property), !property.isTransient else { return }
    let owner = row().map { " of \($0)" } ?? ""
    log(
      """
      \(model.className).\(property.name)\(owner) in the store at \(place): \(reason(unwrapped(property.valueType)))
      """)
  }

  /// Reports a value of which only the type is known.
  static func report(_ type: any Any.Type, _ reason: @autoclosure () -> String) {
    if isNew(Subject(type: ObjectIdentifier(type))) { log(reason()) }
  }

  private static func isNew(_ subject: Subject) -> Bool { reported.withLock { $0.insert(subject).inserted } }

  private static func log(_ problem: String) {
    Logger(label: "SwiftData").error(
      """
      \(problem). The row keeps the value until another is assigned. Other values that do not fit there are not logged.
      """)
  }
}
