import CLibXML2
import Foundation

/// Reads bytes into a tree with libxml2. This is the only file that calls libxml2, and it owns every handle.
///
/// The bytes are untrusted. The reader handles the document event by event. It stops the parser at a document type that
/// is not allowed, at an entity declaration, and at an exceeded limit. So it expands and loads nothing: no DTD, no
/// external entity, no network. Calls share no state and may run on different threads.
enum XMLReader {
  /// The treatment of `<!DOCTYPE …>`. In both cases the reader refuses entity declarations and does not load the DTD.
  enum DocumentType: Sendable {
    case refused
    /// For property lists, which Apple's tools write with a document type.
    case skipped
  }

  /// - Throws: ``XMLError``.
  static func read(
    _ bytes: Data, documentType: DocumentType = .refused, limits: XMLLimits = .standard
  ) throws(XMLError) -> XMLElement {
    guard bytes.count <= limits.bytes, bytes.count <= Int(Int32.max) else {
      throw XMLError(.tooLarge(limit: limits.bytes), line: 1)
    }
    guard !bytes.isEmpty else { throw XMLError(.empty, line: 1) }
    libraryIsInitialized
    let builder = XMLTreeBuilder(documentType: documentType, limits: limits)
    let result = bytes.withUnsafeBytes { buffer in
      Result { () throws(XMLError) in try run(builder, on: buffer) }
    }
    return try result.get()
  }

  /// libxml2 requires this call once, before threads use it.
  private static let libraryIsInitialized: Void = xmlInitParser()

  private static func run(_ builder: XMLTreeBuilder, on buffer: UnsafeRawBufferPointer) throws(XMLError) -> XMLElement {
    guard
      let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self),
      let context = xmlCreateMemoryParserCtxt(start, Int32(buffer.count))
    else { throw XMLError(.outOfMemory, line: 1) }
    defer { xmlFreeParserCtxt(context) }

    // With NOENT, `&amp;` arrives as a character in attribute values. No other entity can exist here, because a
    // declaration stops the parser.
    xmlCtxtUseOptions(context, Int32(XML_PARSE_NONET.rawValue | XML_PARSE_NOENT.rawValue))
    context.pointee.sax.pointee = handler
    builder.currentLine = { Int(xmlSAX2GetLineNumber(UnsafeMutableRawPointer(context))) }
    builder.stopParser = { xmlStopParser(context) }
    defer {
      builder.currentLine = { 1 }
      builder.stopParser = {}
    }
    context.pointee.userData = Unmanaged.passUnretained(builder).toOpaque()

    let status = withExtendedLifetime(builder) { xmlParseDocument(context) }
    if let failure = builder.failure { throw failure }
    guard status == 0, context.pointee.wellFormed == 1, let root = builder.root else {
      throw XMLError(.malformed("the document is not complete"), line: builder.currentLine())
    }
    return root
  }

  /// The events that the builder receives. libxml2 skips an event without a handler.
  private static var handler: xmlSAXHandler {
    var handler = xmlSAXHandler()
    handler.initialized = UInt32(XML_SAX2_MAGIC)
    handler.startElementNs = { context, name, prefix, _, _, _, attributeCount, _, attributes in
      XMLTreeBuilder.receiving(context)?.start(
        QualifiedName(prefix: prefix, local: name), Attributes(start: attributes, count: Int(attributeCount)))
    }
    handler.endElementNs = { context, _, _, _ in XMLTreeBuilder.receiving(context)?.end() }
    handler.characters = { context, characters, count in
      guard let characters else { return }
      XMLTreeBuilder.receiving(context)?.text(UnsafeBufferPointer(start: characters, count: Int(count)))
    }
    handler.internalSubset = { context, _, _, _ in XMLTreeBuilder.receiving(context)?.documentType() }
    handler.entityDecl = { context, _, _, _, _, _ in XMLTreeBuilder.receiving(context)?.entity() }
    handler.unparsedEntityDecl = { context, _, _, _, _ in XMLTreeBuilder.receiving(context)?.entity() }
    handler.reference = { context, _ in XMLTreeBuilder.receiving(context)?.entity() }
    handler.serror = { context, error in
      guard let error = error?.pointee, error.level == XML_ERR_FATAL else { return }
      XMLTreeBuilder.receiving(context)?.error(
        error.message.map { String(cString: $0) } ?? "", line: Int(error.line))
    }
    return handler
  }

  /// A name as libxml2 passes it to a handler.
  struct QualifiedName {
    var prefix: UnsafePointer<UInt8>?
    var local: UnsafePointer<UInt8>?
  }

  /// The attributes of a start tag: five pointers each (local name, prefix, URI, start and end of the value).
  struct Attributes {
    fileprivate var start: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
    var count: Int

    subscript(index: Int) -> (name: QualifiedName, value: String)? {
      guard let field = start.map({ $0 + index * 5 }), let from = field[3], let to = field[4] else { return nil }
      let value = UnsafeBufferPointer(start: from, count: to - from)
      return (QualifiedName(prefix: field[1], local: field[0]), String(decoding: value, as: UTF8.self))
    }
  }
}
