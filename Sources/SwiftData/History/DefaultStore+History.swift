extension DefaultStore: HistoryProviding {
  /// The type of the store's transactions.
  public typealias HistoryType = DefaultHistoryTransaction
  /// The type of the store's tokens.
  public typealias TokenType = DefaultHistoryToken

  /// The type of the store's transactions.
  public static var historyType: DefaultHistoryTransaction.Type { DefaultHistoryTransaction.self }

  /// The transactions that a descriptor selects; see ``ModelContext/fetchHistory(_:)``.
  ///
  /// - Throws: ``SwiftDataError``
  public func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    try ContainerHistory(container.core).transactions(descriptor)
  }

  /// Removes the transactions that a descriptor selects; see ``ModelContext/deleteHistory(_:)``.
  ///
  /// - Throws: ``SwiftDataError``
  public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    try ContainerHistory(container.core).delete(descriptor)
  }
}
