internal import CoreDataStore
internal import ErrorReporting
internal import Logging
internal import StoreRequests

extension SwiftDataError {
  /// Converts an error of the store layer to ``SwiftDataError``.
  ///
  /// - Parameter name: the name of a client's store, whose own errors do not have it.
  init(storeError error: any Error, of name: String? = nil) {
    switch error {
    case let error as SwiftDataError: self = error
    case let error as SaveError:
      let kind: Kind =
        switch error {
        case .conflicts: .saveConflict
        case .ignored, .ignoredBooks: .storeFailure
        default: .modelValidationFailure
        }
      self.init(kind, "\(error)", underlyingError: error)
    case let error as QueryError where error.isOfSize:
      self.init(.unsupportedPredicate, "The request cannot be a statement: \(error)", underlyingError: error)
    case let error as SearchError: self.init(error.kind, "\(error)", underlyingError: error)
    case let error as StoreError: self.init(.storeFailure, "\(error)", underlyingError: error)
    case let error as StoreCopyError: self.init(.storeFailure, "\(error)", underlyingError: error)
    default:
      self.init(.storeFailure, "The store\(name.map { " \($0)" } ?? "") failed: \(error)", underlyingError: error)
    }
  }
}

extension QueryError {
  /// Whether a smaller request of the same kind would have a statement.
  fileprivate var isOfSize: Bool {
    switch self {
    case .tooDeep, .tooManyPaths: true
    default: false
    }
  }
}

extension OpenStore {
  /// An error of the store as programs get it: one of a client's store as it is, as in Apple's framework, and any other as
  /// ``SwiftDataError``.
  ///
  /// The log names the client's store.
  func storeFailure(_ error: any Error) -> any Error {
    guard isOfClient(error) else { return SwiftDataError(storeError: error) }
    let reason = (error as? any KnownStoreFailure)?.reason ?? "failed: \(error)"
    Logger(label: "SwiftData").error("The store \(configuration.name) \(reason)")
    return error
  }

  /// Whether an error comes from the code of a client's store, and not from this module's code around it.
  func isOfClient(_ error: any Error) -> Bool {
    let isOwn = error is SwiftDataError || error is any ReportableError || error is any InternalError
    return descriptorEngine != nil && !isOwn
  }
}

/// An error without words for programs, which the code around a store throws and other code of this module catches.
protocol InternalError: Error {}

extension BatchRefusal: InternalError {}

/// An error of a client's store whose meaning the framework knows.
protocol KnownStoreFailure: Error {
  /// What the error means if the framework cannot do the store's work: the rest of a sentence that begins with the store's name.
  var reason: String { get }
}

extension SearchError {
  fileprivate var kind: SwiftDataError.Kind {
    switch self {
    case .noIndex, .incompleteIndex: .unsupportedPredicate
    case .notSearched, .notText, .noProperties: .unsupportedKeyPath
    case .unavailable, .otherDefinition, .foreignDefinition: .storeFailure
    }
  }
}
