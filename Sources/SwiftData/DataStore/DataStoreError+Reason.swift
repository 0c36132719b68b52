extension DataStoreError: KnownStoreFailure {
  var reason: String {
    switch self {
    case .preferInMemoryFilter:
      "prefers a filter in memory, but the request has no predicate: its fetch(_:) must answer such a request."
    case .preferInMemorySort:
      "prefers sorting in memory, but the request has no order: its fetch(_:) must answer such a request."
    case .unsupportedFeature: "does not support the request (DataStoreError.unsupportedFeature)."
    case .invalidPredicate: "takes no such predicate (DataStoreError.invalidPredicate)."
    }
  }
}
