extension EncodingError {
  /// What is wrong, and where in the value; the value itself is not in it.
  var reason: String {
    switch self {
    case .invalidValue(_, let context):
      context.codingPath.isEmpty
        ? context.debugDescription
        : "\(context.debugDescription) (at \(context.codingPath.map(\.stringValue).joined(separator: ".")))"
    @unknown default: "\(self)"
    }
  }
}
