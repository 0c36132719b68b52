#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Objects that a thread releases one after the other.
///
/// Each object of a chain holds the next one. If each released the next one while it is deallocated, a chain of 100,000
/// objects would need more stack than a thread has. So relationships hold their objects through ``HeldObject`` and
/// ``HeldObjects``, which release them here. An object that is released during another release waits for its end.
struct ReleaseQueue {
  private var objects: [Unmanaged<AnyObject>] = []
  private var lists: [[AnyObject]] = []

  /// The key of the thread's queue; `nil` if the system has no key left.
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    return pthread_key_create(&key, nil) == 0 ? key : nil
  }()

  /// Releases an object.
  static func release(_ object: Unmanaged<AnyObject>) {
    if let running { return running.pointee.objects.append(object) }
    run { object.release() }
  }

  /// Releases the objects of a list, and empties it.
  static func release<Member: AnyObject>(_ list: inout [Member]) {
    if list.isEmpty { return }
    if let running {
      // An array of objects is an array of references, whatever their class.
      running.pointee.lists.append(unsafeBitCast(list, to: [AnyObject].self))
      list = []
      return
    }
    run { list = [] }
  }

  /// The queue of the release that the thread is in.
  private static var running: UnsafeMutablePointer<ReleaseQueue>? {
    key.flatMap { pthread_getspecific($0) }?.assumingMemoryBound(to: ReleaseQueue.self)
  }

  /// Runs a release, and then the releases that it leads to.
  private static func run(_ release: () -> Void) {
    guard let key, pthread_getspecific(key) == nil else { return release() }
    var queue = ReleaseQueue()
    withUnsafeMutablePointer(to: &queue) { queue in
      pthread_setspecific(key, queue)
      defer { pthread_setspecific(key, nil) }
      release()
      while queue.pointee.hasNext {
        // Released outside of the queue, since the objects may add others.
        queue.pointee.objects.popLast()?.release()
        _ = queue.pointee.lists.popLast()
      }
    }
  }

  private var hasNext: Bool { !objects.isEmpty || !lists.isEmpty }
}
