internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Ends the program when two threads are inside one context at once, in debug and release builds alike.
///
/// Two threads would corrupt the identity map, and a corrupted map could save wrong rows. The check costs two atomic operations
/// for a fetch, a save or the loading of a fault, and one for a change. It notices threads that overlap; threads that take turns are
/// not noticed.
final class ExclusiveUse: Sendable {
  /// The thread that uses the context at present; 0 if no thread does.
  private let thread = Atomic<UInt>(0)
  /// The address of the name of that thread's operation; 0 if none is known.
  private let operation = Atomic<UInt>(0)

  #if canImport(Glibc)
    private static var current: UInt { pthread_self() }
  #else
    private static var current: UInt { UInt(bitPattern: pthread_self()) }
  #endif

  /// Notices that another thread is inside, for an operation that loads nothing.
  func check(_ name: StaticString) {
    let other = thread.load(ordering: .relaxed)
    if other != 0, other != Self.current { complain(other, name) }
  }

  /// Runs one operation of the context. Operations of one thread may nest.
  func during<Result>(_ name: StaticString, _ body: () throws -> Result) rethrows -> Result {
    let current = Self.current
    let outer = thread.exchange(current, ordering: .acquiring)
    if outer == 0 {
      operation.store(UInt(bitPattern: name.utf8Start), ordering: .relaxed)
    } else if outer != current {
      complain(outer, name)
    }
    defer { thread.store(outer, ordering: .releasing) }
    return try body()
  }

  private func complain(_ other: UInt, _ name: StaticString) -> Never {
    let known = UnsafePointer<UInt8>(bitPattern: operation.load(ordering: .relaxed)).map { String(cString: $0) }
    fatalError(
      """
      SwiftData: two threads use a ModelContext at once: thread \(String(other, radix: 16)) (\(known ?? "unknown")) and \
      thread \(String(Self.current, radix: 16)) (\(name)). A context belongs to one executor: make one per actor or task, and \
      pass persistentModelIDs between them.
      """)
  }
}
