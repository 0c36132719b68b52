/// How much of a document is read before it is refused; every bound is far above what Xcode writes.
struct XMLLimits: Sendable {
  /// Size of the document. The largest real model seen has about 150 KB.
  var bytes = 32 << 20
  /// Elements inside one another. A model needs six.
  var depth = 32
  /// Elements in the whole document.
  var elements = 250_000
  /// Attributes of one element. A model needs about twenty.
  var attributesPerElement = 128

  static let standard = XMLLimits()
}
