extension ModelContext {
  /// The transactions that a descriptor selects from the history of the container's stores.
  ///
  ///     for transaction in try context.fetchHistory(descriptor) {
  ///       for case .update(let update as DefaultHistoryUpdate<Trip>) in transaction.changes { … }
  ///     }
  ///
  /// Transactions of several stores are merged by time. Changes of objects without a class in the schema are left out.
  ///
  /// Cost: one query per store. Comparisons of tokens, numbers, times, authors, bundle and process identifiers with
  /// constants are a part of the query, and so are the limit and an order by token, number or time. Other conditions are
  /// evaluated for each transaction in turn, until the limit is reached. Apple: `ModelContext.fetchHistory(_:)`.
  /// - Throws: ``SwiftDataError/historyTokenExpired`` if transactions after a token of the predicate have been deleted;
  ///   ``SwiftDataError/invalidTransactionFetchRequest`` if no store keeps transactions of this type;
  ///   ``SwiftDataError/unsupportedPredicate``; ``SwiftDataError/storeFailure``.
  public func fetchHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T] {
    let custom = CustomHistory<T>(core.container)
    var parts = try custom.transactions(descriptor)
    let history = ContainerHistory(core.container)
    if let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction>, !history.isEmpty {
      parts.append(try history.transactions(descriptor) as? [T] ?? [])
    } else if custom.isEmpty {
      throw SwiftDataError.noHistory(of: T.self)
    }
    return CustomHistory.merged(parts, descriptor)
  }

  /// Removes the transactions that a descriptor selects; the objects stay as they are.
  ///
  ///     let month = Date.now.addingTimeInterval(-30 * 24 * 3600)
  ///     try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.timestamp < month }))
  ///
  /// A token before a removed transaction expires, also one that is fetched later: if earlier transactions stay, their tokens are of no use
  /// for going on. So delete from the front, as above, where others read the history. Numbers of removed transactions are not used again.
  ///
  /// Cost: a few statements per store, if the predicate has only comparisons that are a part of the query; see
  /// ``fetchHistory(_:)``. Otherwise the transactions are read first. Apple: `ModelContext.deleteHistory(_:)`.
  /// - Throws: the errors of ``fetchHistory(_:)``; ``SwiftDataError/storeFailure`` also if a store is read-only. Stores before
  ///   it have lost their transactions then.
  public func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws {
    let custom = CustomHistory<T>(core.container)
    let history = ContainerHistory(core.container)
    if let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction>, !history.isEmpty {
      try history.delete(descriptor)
    } else if custom.isEmpty {
      throw SwiftDataError.noHistory(of: T.self)
    }
    try custom.delete(descriptor)
  }
}

extension SwiftDataError {
  fileprivate static func noHistory<T: HistoryTransaction>(of type: T.Type) -> SwiftDataError {
    SwiftDataError(
      .invalidTransactionFetchRequest,
      "No store of the container keeps a history with transactions of type \(type).")
  }
}
