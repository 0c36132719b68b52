/// The bounds of a document. The reader refuses a document beyond them; each bound is far above the files that Xcode
/// writes.
struct XMLLimits: Sendable {
  /// Size of the document in bytes. The largest real model seen has about 150 KB.
  var bytes = 32 << 20
  /// Nesting depth of elements. A model needs five.
  var depth = 32
  /// Elements in the whole document.
  var elements = 250_000
  /// Attributes of one element. A model needs about twenty.
  var attributesPerElement = 128

  static let standard = XMLLimits()
}
