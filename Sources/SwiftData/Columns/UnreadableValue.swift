internal import Logging
internal import Synchronization

/// Logs stored values that do not fit their properties' types, once for each problem.
///
/// Such a value reads as the property's default or its type's zero. The row keeps it until the property is assigned.
enum UnreadableValue {
  private static let reported = Mutex<Set<String>>([])
  private static let limit = 1000

  static func report(_ problem: @autoclosure () -> String) {
    let problem = problem()
    guard reported.withLock({ $0.count < limit && $0.insert(problem).inserted }) else { return }
    Logger(label: "SwiftData").error("\(problem); it stays as it is until another is assigned.")
  }
}
