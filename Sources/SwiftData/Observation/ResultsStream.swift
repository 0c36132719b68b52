internal import Synchronization

/// The differences that one client of live results has not read yet.
final class ResultsStream<Element: PersistentModel> {
  /// Has an element whenever there may be new differences.
  let signals: AsyncStream<Void>
  /// The differences from ``first`` on; those before it are read.
  private var pending: [ResultsDifference<Element>?] = []
  private var first = 0
  private let waker: ResultsWaker
  private let number: Int

  init(_ waker: ResultsWaker) {
    self.waker = waker
    (signals, number) = waker.makeSignals()
  }

  deinit { waker.remove(number) }

  func add(_ difference: ResultsDifference<Element>) { pending.append(difference) }

  /// Removes and returns the oldest difference.
  func next() -> ResultsDifference<Element>? {
    guard first < pending.count else { return nil }
    let difference = pending[first].take()
    first += 1
    // Moving the others up each time would cost a pass over all that wait.
    if 2 * first >= pending.count {
      pending.removeFirst(first)
      first = 0
    }
    return difference
  }

  /// Removes all differences.
  func removeAll() {
    pending = []
    first = 0
  }
}

/// Wakes the clients of live results, from any thread: at changes of the context, and when other contexts have saved.
final class ResultsWaker: Sendable {
  private let clients = Mutex<(last: Int, byNumber: [Int: AsyncStream<Void>.Continuation])>((0, [:]))
  private let inbox: Inbox
  private let listener = Mutex<Int?>(nil)
  /// Makes the saves of other containers and processes arrive in the inbox.
  private let remoteChanges: RemoteChanges.Registration

  init(_ core: ContextCore) {
    let inbox = core.inbox
    self.inbox = inbox
    remoteChanges = core.container.remoteChanges.listen { _ in }
    let number = inbox.addListener { [weak self] in self?.wake() }
    listener.withLock { $0 = number }
  }

  deinit {
    if let number = listener.withLock({ $0 }) { inbox.removeListener(number) }
    for client in clients.withLock({ $0.byNumber.values }) { client.finish() }
  }

  func makeSignals() -> (AsyncStream<Void>, Int) {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = clients.withLock { clients in
      clients.last += 1
      clients.byNumber[clients.last] = continuation
      return clients.last
    }
    return (stream, number)
  }

  func remove(_ number: Int) { clients.withLock { $0.byNumber[number] = nil } }

  func wake() {
    for client in clients.withLock({ Array($0.byNumber.values) }) { client.yield() }
  }
}

/// An observer of results, whatever its class of objects.
protocol ResultsUpdating: AnyObject {
  func updateStreams()
}

/// A weak reference that crosses to the observer's own actor.
struct UpdatingResults: @unchecked Sendable {
  private(set) weak var results: (any ResultsUpdating)?

  init(_ results: any ResultsUpdating) { self.results = results }
}
