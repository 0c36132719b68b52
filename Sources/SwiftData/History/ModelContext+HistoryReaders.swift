internal import StoreRequests

extension ModelContext {
  /// Keeps the history after a token for a reader, also when ``ModelConfiguration/historyRetention`` would delete it.
  ///
  ///     let transactions = try context.fetchHistory(descriptor)
  ///     if let token = transactions.last?.token { try context.keepHistory(after: token, for: "widget") }
  ///
  /// The stores note the reader's name and position, for all processes. A reader names its position again each time that it has read. Until it
  /// does, or ``releaseHistory(for:)`` forgets it, the history grows. ``deleteHistory(_:)`` also deletes what a reader keeps.
  ///
  /// Cost: one transaction per store. Not in Apple's framework.
  /// - Throws: ``SwiftDataError/historyTokenExpired`` if transactions after the token have been deleted before;
  ///   ``SwiftDataError/invalidTransactionFetchRequest`` if no store of the token keeps readers; ``SwiftDataError/storeFailure``.
  public func keepHistory(after token: DefaultHistoryToken, for reader: String) throws {
    try ContainerHistory(core.container).keep(after: token, for: reader)
  }

  /// Forgets a reader of ``keepHistory(after:for:)`` in all stores; does nothing if there is none.
  ///
  /// - Throws: ``SwiftDataError/storeFailure``
  public func releaseHistory(for reader: String) throws { try ContainerHistory(core.container).release(reader) }
}

extension ContainerHistory {
  func keep(after token: DefaultHistoryToken, for reader: String) throws {
    var isKept = false
    for history in histories {
      guard let number = token.numbers[history.engine.identifier] else { continue }
      try remove(from: history) { if try $0.keepHistory(after: number, for: reader) { isKept = true } }
    }
    guard isKept || token.numbers.isEmpty else {
      try check(token)
      throw SwiftDataError(
        .invalidTransactionFetchRequest,
        "No store of the history token keeps readers: read the history more often than historyRetention deletes it.")
    }
    // A deletion before the readers were noted is found here.
    do { try check(token) } catch {
      try release(reader)
      throw error
    }
  }

  func release(_ reader: String) throws {
    for history in histories where history.store.configuration.allowsSave {
      try history.reporting { _ = try history.engine.keepHistory(after: nil, for: reader) }
    }
  }
}
