extension EncodingError {
  /// The problem and its place in the value; does not contain the value itself.
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
