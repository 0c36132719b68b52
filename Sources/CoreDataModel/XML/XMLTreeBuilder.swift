/// Builds a tree from the parser's events and enforces the limits.
///
/// The first failure stops the parser. The builder drops later events.
final class XMLTreeBuilder {
  private(set) var root: XMLElement?
  private(set) var failure: XMLError?
  /// The current line of the parser; set only while the parser runs.
  var currentLine: () -> Int = { 1 }
  var stopParser: () -> Void = {}

  private let documentTypePolicy: XMLReader.DocumentType
  private let limits: XMLLimits
  private var open: [XMLElement] = []
  private var elementCount = 0
  /// Names by the address of the parser's copy. The parser keeps one copy of each name for its whole life.
  private var names: [UnsafePointer<UInt8>: String] = [:]

  init(documentType: XMLReader.DocumentType, limits: XMLLimits) {
    documentTypePolicy = documentType
    self.limits = limits
  }

  /// The builder that the context pointer of a callback refers to; `nil` if it has failed already.
  static func receiving(_ context: UnsafeMutableRawPointer?) -> XMLTreeBuilder? {
    guard let context else { return nil }
    let builder = Unmanaged<XMLTreeBuilder>.fromOpaque(context).takeUnretainedValue()
    return builder.failure == nil ? builder : nil
  }

  func start(_ name: XMLReader.QualifiedName, _ attributes: XMLReader.Attributes) {
    elementCount += 1
    let name = text(of: name)
    guard open.count < limits.depth else { return fail(.tooDeep(limit: limits.depth)) }
    guard elementCount <= limits.elements else { return fail(.tooManyElements(limit: limits.elements)) }
    guard attributes.count <= limits.attributesPerElement else {
      return fail(.tooManyAttributes(element: name, limit: limits.attributesPerElement))
    }
    var element = XMLElement(name: name, line: currentLine())
    for index in 0..<attributes.count {
      guard let attribute = attributes[index] else { continue }
      element.add(attribute: text(of: attribute.name), attribute.value)
    }
    open.append(element)
  }

  private func text(of name: XMLReader.QualifiedName) -> String {
    guard let local = name.local else { return "" }
    let text = names[local] ?? String(cString: local)
    names[local] = text
    return name.prefix.map { String(cString: $0) + ":" + text } ?? text
  }

  func end() {
    guard let element = open.popLast() else { return }
    if open.isEmpty {
      root = element
    } else {
      open[open.count - 1].children.append(element)
    }
  }

  func text(_ characters: UnsafeBufferPointer<UInt8>) {
    guard !open.isEmpty else { return }
    open[open.count - 1].text += String(decoding: characters, as: UTF8.self)
  }

  func documentType() {
    if documentTypePolicy == .refused { fail(.documentType) }
  }

  func entity() { fail(.entity) }

  /// Records the parser's own error, after which the parser stops by itself.
  func error(_ message: String, line: Int) {
    failure = XMLError(.malformed(message), line: max(1, line))
  }

  private func fail(_ cause: XMLError.Cause) {
    failure = XMLError(cause, line: currentLine())
    stopParser()
  }
}
