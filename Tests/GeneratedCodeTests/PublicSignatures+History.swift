extension PublicSignatures {
  /// Apple's declarations of history.
  static let history = """
    HistoryChange:
      enum HistoryChange
      case delete(any HistoryDelete)
      case insert(any HistoryInsert)
      case update(any HistoryUpdate)
      var changedPersistentIdentifier: PersistentIdentifier { get }
    HistoryInsert:
      protocol HistoryInsert<Model>: Sendable
      associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
      associatedtype Model: PersistentModel
      associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
      var changeIdentifier: Self.ChangeIdentifier { get }
      var changedPersistentIdentifier: PersistentIdentifier { get }
      var transactionIdentifier: Self.TransactionIdentifier { get }
    HistoryUpdate:
      protocol HistoryUpdate<Model>: Sendable
      associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
      associatedtype Model: PersistentModel
      associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
      typealias PropertyUpdate = PartialKeyPath<Self.Model> & Sendable
      var changeIdentifier: Self.ChangeIdentifier { get }
      var changedPersistentIdentifier: PersistentIdentifier { get }
      var transactionIdentifier: Self.TransactionIdentifier { get }
      var updatedAttributes: [any PartialKeyPath<Self.Model> & Sendable] { get }
    HistoryDelete:
      protocol HistoryDelete<Model>: Sendable
      associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
      associatedtype Model: PersistentModel
      associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
      var changeIdentifier: Self.ChangeIdentifier { get }
      var changedPersistentIdentifier: PersistentIdentifier { get }
      var tombstone: HistoryTombstone<Self.Model> { get }
      var transactionIdentifier: Self.TransactionIdentifier { get }
    HistoryTombstone:
      struct HistoryTombstone<Model> where Model: PersistentModel
      subscript(_: PartialKeyPath<Model>) -> (any Sendable)? { get }
    HistoryToken:
      protocol HistoryToken: Comparable, Decodable, Encodable, Hashable, Identifiable, Sendable
      associatedtype TokenType: Decodable, Encodable, Hashable, Sendable
      var storeIdentifier: String { get }
      var tokenValue: Self.TokenType? { get }
    HistoryTransaction:
      protocol HistoryTransaction: Hashable, Identifiable, Sendable
      associatedtype TokenType: Comparable, Hashable, Identifiable, Sendable
      associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
      var author: String? { get }
      var changes: [HistoryChange] { get }
      var storeIdentifier: String { get }
      var timestamp: Date { get }
      var token: Self.TokenType { get }
      var transactionIdentifier: Self.TransactionIdentifier { get }
    HistoryDescriptor:
      struct HistoryDescriptor<TransactionType> where TransactionType: HistoryTransaction
      init(predicate: Predicate<TransactionType>? = nil)
      init(predicate: Predicate<TransactionType>? = nil, sortBy: [SortDescriptor<TransactionType>] = [])
      var fetchLimit: UInt64 { get set }
      var predicate: Predicate<TransactionType>? { get set }
      var sortBy: [SortDescriptor<TransactionType>] { get set }
    HistoryProviding:
      protocol HistoryProviding
      associatedtype HistoryType: HistoryTransaction
      func deleteHistory(_: HistoryDescriptor<Self.HistoryType>) throws
      func fetchHistory(_: HistoryDescriptor<Self.HistoryType>) throws -> [Self.HistoryType]
      static var historyType: Self.HistoryType.Type { get }
    DefaultHistoryInsert:
      struct DefaultHistoryInsert<Model> where Model: PersistentModel
      typealias ChangeIdentifier = Int64
      typealias TransactionIdentifier = Int64
      var changeIdentifier: Int64 { get }
      var changedPersistentIdentifier: PersistentIdentifier { get }
      var transactionIdentifier: Int64 { get }
    DefaultHistoryUpdate:
      struct DefaultHistoryUpdate<Model> where Model: PersistentModel
      typealias ChangeIdentifier = Int64
      typealias TransactionIdentifier = Int64
      var changeIdentifier: Int64 { get }
      var changedPersistentIdentifier: PersistentIdentifier { get }
      var transactionIdentifier: Int64 { get }
      var updatedAttributes: [any PartialKeyPath<Model> & Sendable] { get }
    DefaultHistoryDelete:
      struct DefaultHistoryDelete<Model> where Model: PersistentModel
      typealias ChangeIdentifier = Int64
      typealias TransactionIdentifier = Int64
      var changeIdentifier: Int64 { get }
      var changedPersistentIdentifier: PersistentIdentifier { get }
      var tombstone: HistoryTombstone<Model> { get }
      var transactionIdentifier: Int64 { get }
    DefaultHistoryToken:
      struct DefaultHistoryToken
      typealias TokenType = [String: Int64]
      init(from: any Decoder) throws
      var id: Int { get }
      var storeIdentifier: String { get }
      var tokenValue: DefaultHistoryToken.TokenType? { get }
    DefaultHistoryTransaction:
      struct DefaultHistoryTransaction
      typealias TokenType = DefaultHistoryToken
      typealias TransactionIdentifier = Int64
      var author: String? { get }
      var bundleIdentifier: String { get }
      var changes: [HistoryChange] { get }
      var id: Int64 { get }
      var processIdentifier: String { get }
      var storeIdentifier: String { get }
      var timestamp: Date { get }
      var token: DefaultHistoryToken { get }
      var transactionIdentifier: Int64 { get }
    """
}
