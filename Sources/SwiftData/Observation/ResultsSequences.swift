extension ResultsObserver {
  /// The results now, and again after each change. Not in Apple's framework.
  ///
  ///     for await books in observer.values { print(books.map(\.title)) }
  ///
  /// Several changes in one turn of the actor, or while the loop's body runs, are one element. Ends when the task is cancelled.
  public var values: ResultsValues<Element, SectionTitle> { ResultsValues(observer: self) }

  /// The differences between states of the results: insertions, moves, deletions and updates. Not in Apple's framework.
  ///
  /// Applied in order, they lead from the results at the start of the loop to the current results. Differences that the loop has not
  /// read yet are kept. Ends when the task is cancelled.
  public var differences: ResultsDifferences<Element, SectionTitle> { ResultsDifferences(observer: self) }
}

/// A sequence of the states of live results; see ``ResultsObserver/values``. Not in Apple's framework.
public struct ResultsValues<Model: PersistentModel, SectionTitle: Hashable>: AsyncSequence {
  /// The results of one state.
  public typealias Element = FetchResultsCollection<Model>

  let observer: ResultsObserver<Model, SectionTitle>

  /// Begins with the current results.
  public func makeAsyncIterator() -> Iterator { Iterator(observer) }

  /// Waits for results.
  public struct Iterator: AsyncIteratorProtocol {
    private var waiter: ResultsWaiter<Model, SectionTitle>
    private var isFirst = true

    init(_ observer: ResultsObserver<Model, SectionTitle>) { waiter = ResultsWaiter(observer) }

    /// The next results. The first call returns the present ones at once; a later one gives `nil` when the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> FetchResultsCollection<Model>? {
      if isFirst {
        isFirst = false
        return waiter.observer.results
      }
      guard await waiter.next(isolation: actor) != nil else { return nil }
      waiter.stream.removeAll()
      // The waiter has just updated them. A second update would add a difference that they contain already.
      return waiter.observer.presentResults
    }
  }
}

/// A sequence of the differences of live results; see ``ResultsObserver/differences``. Not in Apple's framework.
public struct ResultsDifferences<Model: PersistentModel, SectionTitle: Hashable>: AsyncSequence {
  /// The changes from one state to the next state.
  public typealias Element = ResultsDifference<Model>

  let observer: ResultsObserver<Model, SectionTitle>

  /// Begins with the changes after this call.
  public func makeAsyncIterator() -> Iterator { Iterator(observer) }

  /// Waits for differences.
  public struct Iterator: AsyncIteratorProtocol {
    private var waiter: ResultsWaiter<Model, SectionTitle>

    init(_ observer: ResultsObserver<Model, SectionTitle>) { waiter = ResultsWaiter(observer) }

    /// The next difference; `nil` when the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> ResultsDifference<Model>? {
      await waiter.next(isolation: actor)
    }
  }
}

/// Waits for the differences of live results.
private struct ResultsWaiter<Model: PersistentModel, SectionTitle: Hashable> {
  let observer: ResultsObserver<Model, SectionTitle>
  let stream: ResultsStream<Model>
  private var signals: AsyncStream<Void>.Iterator
  private var hasBegun = false

  init(_ observer: ResultsObserver<Model, SectionTitle>) {
    self.observer = observer
    stream = observer.makeStream()
    signals = stream.signals.makeAsyncIterator()
  }

  mutating func next(isolation actor: isolated (any Actor)?) async -> ResultsDifference<Model>? {
    while true {
      // There may be something new each time while others save. Without a pause the actor would do nothing else until they end.
      if hasBegun { await Task.yield() }
      hasBegun = true
      guard !Task.isCancelled else { return nil }
      observer.updateStreams()
      if let difference = stream.next() { return difference }
      guard await signals.next(isolation: actor) != nil else { return nil }
    }
  }
}
