internal import CoreDataStore
internal import StoreRequests

extension SwiftDataError {
  /// Converts an error of the store layer to ``SwiftDataError``.
  ///
  /// - Parameter store: the store, if its own errors do not name it.
  init(storeError error: any Error, of store: OpenStore? = nil) {
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
    case let error as SearchError: self.init(error.kind, "\(error)", underlyingError: error)
    case let error as StoreError: self.init(.storeFailure, "\(error)", underlyingError: error)
    case let error as StoreCopyError: self.init(.storeFailure, "\(error)", underlyingError: error)
    default:
      let name = store?.descriptorEngine == nil ? "" : " \(store?.configuration.name ?? "")"
      let reason = (error as? any KnownStoreFailure)?.reason ?? "failed: \(error)"
      self.init(.storeFailure, "The store\(name) \(reason)", underlyingError: error)
    }
  }
}

/// An error of a custom store whose meaning the framework knows.
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
