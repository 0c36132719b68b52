internal import Logging
internal import Synchronization

/// Logs stored values that do not fit their properties' types: the first one of each property of a store.
///
/// Such a value reads as `nil`, as the property's default or as its type's zero. A number beyond its type reads as the nearest bound. The
/// row keeps the value until the property is assigned.
enum UnreadableValue {
  /// What is logged once: a property of a class in a store, or the type of a value whose property is not known.
  struct Subject: Hashable {
    var store = ""
    var place = ""
    let type: ObjectIdentifier
    var property = -1
  }

  private static let reported = Mutex<Set<Subject>>([])

  /// Reports a value; does nothing if one of the same subject was reported.
  ///
  /// - Parameter problem: what is wrong, and where; `nil` if it need not be told.
  static func report(_ subject: Subject, _ problem: @autoclosure () -> String?) {
    guard isNew(subject), let problem = problem() else { return }
    log(problem)
  }

  private static func isNew(_ subject: Subject) -> Bool { reported.withLock { $0.insert(subject).inserted } }

  private static func log(_ problem: String) {
    Logger(label: "SwiftData").error(
      """
      \(problem). The row keeps the value until another is assigned. Other values that do not fit there are not logged.
      """)
  }
}
