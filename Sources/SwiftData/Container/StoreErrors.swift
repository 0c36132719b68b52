internal import CoreDataStore
internal import StoreRequests

extension SwiftDataError {
  /// Converts an error of the store layer to ``SwiftDataError``.
  init(storeError error: any Error) {
    switch error {
    case let error as SwiftDataError: self = error
    case let error as SaveError:
      if case .conflicts = error {
        self.init(.saveConflict, "\(error)", underlyingError: error)
      } else {
        self.init(.modelValidationFailure, "\(error)", underlyingError: error)
      }
    case let error as SearchError: self.init(error.kind, "\(error)", underlyingError: error)
    case let error as StoreError: self.init(.storeFailure, "\(error)", underlyingError: error)
    case let error as StoreCopyError: self.init(.storeFailure, "\(error)", underlyingError: error)
    default: self.init(.storeFailure, "The store failed: \(error)", underlyingError: error)
    }
  }
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
