internal import Foundation
internal import Logging
public import Observation
internal import Synchronization

/// Counts the saves that matter to an app: of some models, by some authors, in this process or in others.
///
///     let observer = try HistoryObserver(observedModels: [Trip.self], authors: ["app"], modelContainer: container)
///     withObservationTracking { _ = observer.eventCounter } onChange: { … }
///
/// Read the new transactions with ``ModelContext/fetchHistory(_:)``. As long as an observer lives, the container watches its
/// stores; ``ModelContainer/remoteChange`` tells the cost. Saves to custom stores count if a container of this process makes them, and
/// the store conforms to ``HistoryProviding`` and returns a ``DataStoreSaveChangesResult/historyToken``. The erasure of such a store
/// counts as well. Apple: `HistoryObserver`.
public final class HistoryObserver: Observable, @unchecked Sendable {  // immutable but for what locks guard
  /// The container whose stores are observed.
  public let modelContainer: ModelContainer
  /// The classes whose objects matter, with their subclasses; all if it is empty.
  public let observedModels: [any PersistentModel.Type]
  /// The authors whose saves matter; all if it is empty, and then saves without an author, too.
  public let authors: Set<String>
  private let filter: HistoryFilter
  private let registrar = ObservationRegistrar()
  private let count = Mutex(0)
  /// The numbers of the last transactions that the observer has examined, by store index.
  private let positions: Mutex<[Int: Int64]>
  /// The positions in custom stores up to which the observer has examined what was there before it, by store index.
  private let customPositions = Mutex<[Int: any HistoryToken]>([:])
  /// Where the first examination of custom stores starts, by store identifier; `nil` after it.
  private let firstTokens: Mutex<[String: any HistoryToken]?>
  private let registration = Mutex<RemoteChanges.Registration?>(nil)
  private weak let actor: (any Actor)?
  private let isIsolated: Bool

  /// Grows by one when new transactions are found and at least one of them matters.
  ///
  /// Several saves in quick succession may count as one. Transactions that were deleted before the observer saw them
  /// count, too. The number changes on the actor that made the observer; without an actor, on a private thread.
  public var eventCounter: Int {
    registrar.access(self, keyPath: \.eventCounter)
    return count.withLock { $0 }
  }

  /// Makes an observer that counts from now on, or from some positions on.
  ///
  /// - Parameters:
  ///   - historyTokens: tokens by store identifier. Later transactions that are there already are counted soon after. The
  ///     present position is taken for a store without a token, and for all stores if this is `nil`.
  ///   - observedModels: the classes whose objects matter; all if it is empty.
  ///   - authors: the authors whose saves matter; all if it is empty.
  ///   - modelContainer: the container whose stores are observed.
  ///   - isolation: the actor on which ``eventCounter`` changes; by default the caller's actor.
  /// - Throws: ``SwiftDataError/invalidTransactionFetchRequest`` if no store keeps a history;
  ///   ``SwiftDataError/unknownSchema`` for a class that is not in the schema; ``SwiftDataError/storeFailure``.
  public init(
    historyTokens: [String: any HistoryToken]? = nil, observedModels: [any PersistentModel.Type] = [],
    authors: Set<String> = [], modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    self.modelContainer = modelContainer
    self.observedModels = observedModels
    self.authors = authors
    actor = isolation
    isIsolated = isolation != nil
    filter = try HistoryFilter(modelContainer.core, observedModels, authors)
    positions = Mutex(try filter.positions(historyTokens))
    firstTokens = Mutex(historyTokens)
    let changes = modelContainer.core.remoteChanges
    let registration = changes.listen { [weak self] event in self?.examine(event.customSaves) }
    self.registration.withLock { $0 = registration }
    // A save between the reading of the positions and the start of the listening is found here, too.
    changes.afterwards { [weak self] in self?.examine([]) }
  }

  /// Examines the transactions since the last time, and saves to custom stores. Runs on one private queue.
  ///
  /// The first examination also finds what custom stores have from before the observer. A save that came meanwhile may be among it,
  /// and is heard of as well.
  private func examine(_ customSaves: [RemoteChanges.CustomSave]) {
    let tokens = firstTokens.withLock { $0.take() }
    let found = noting { try tokens.map(filter.examineCustomHistories) }
    if let found { customPositions.withLock { $0 = found.now } }
    let new = customPositions.withLock { positions in customSaves.filter { filter.matters($0, after: &positions) } }
    if hasNewTransactions() || found?.matters == true || !new.isEmpty { report() }
  }

  private func hasNewTransactions() -> Bool {
    noting {
      let (matters, now) = try filter.examine(after: positions.withLock { $0 })
      positions.withLock { $0 = now }
      return matters
    } ?? false
  }

  private func noting<Result>(_ body: () throws -> Result?) -> Result? {
    do { return try body() } catch {
      Logger(label: "SwiftData").error("Reading new history transactions: \(error)")
      return nil
    }
  }

  private func report() {
    guard isIsolated else { return increment() }
    Task { [weak self] in
      if let actor = self?.actor { await self?.increment(on: actor) }
    }
  }

  private func increment(on actor: isolated any Actor) { increment() }

  private func increment() {
    registrar.withMutation(of: self, keyPath: \.eventCounter) { count.withLock { $0 += 1 } }
  }
}
