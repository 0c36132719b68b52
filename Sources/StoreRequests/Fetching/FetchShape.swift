import Foundation

/// A fetch without the values of its constants.
///
/// Two requests that differ in ordinary constants only have equal shapes, so a statement that is made for one serves the other. Each
/// ordinary constant of ``request`` is replaced by a stand-in of the same class; ``constants`` has the values in the same order. A
/// constant of which a statement's text may depend stays where it is: `NULL`, 0 and 1 (truth values), infinite numbers, and texts
/// that have canonically equivalent forms.
package struct FetchShape: Sendable {
  /// The request with stand-ins; hashable, and as printable as the original.
  package private(set) var request: FetchRequest
  /// The values of the stand-ins, in the order of ``standIns``.
  package private(set) var constants: [StoreValue] = []
  /// The stand-ins of the request, each of them once.
  package private(set) var standIns: [StoreValue] = []
  /// The bytes of the texts that stayed in the request. Texts are equal if they are canonically equivalent, but statements bind
  /// bytes: a shape is known by its request and by these.
  package private(set) var texts: [[UInt8]] = []

  /// A request with more constants than this has no shape: few requests are alike then.
  package static let constantLimit = 64

  /// Returns `nil` if the request has too many constants.
  package init?(_ original: FetchRequest) {
    request = original
    if let search = original.search { texts.append(Array(search.text.utf8)) }
    request.predicate = original.predicate.map { replacing($0) }
    for index in request.sortTerms.indices {
      request.sortTerms[index].expression = replacing(request.sortTerms[index].expression)
    }
    request.limit = original.limit.map { replacingCount($0) }
    request.offset = original.offset.map { replacingCount($0) }
    if constants.count > Self.constantLimit { return nil }
  }

  private mutating func replacing(_ expression: FetchExpression) -> FetchExpression {
    // Past the limit, the shape is thrown away: there is no need to finish it.
    guard constants.count <= Self.constantLimit else { return expression }
    return expression.mapConstants({ replacing($0) }, keys: { replacing($0) })
  }

  private mutating func replacing(_ value: StoreValue) -> StoreValue {
    guard let standIn = value.standIn(constants.count) else {
      if case .text(let text) = value { texts.append(Array(text.utf8)) }
      return value
    }
    return note(value, standIn)
  }

  /// The entity's number stays, because a statement's text depends on its table.
  private mutating func replacing(_ key: ObjectKey) -> ObjectKey {
    let number = StandIns.integer(constants.count)
    _ = note(.integer(key.key), .integer(number))
    return ObjectKey(entity: key.entity, key: number)
  }

  private mutating func replacingCount(_ count: Int) -> Int {
    let number = StandIns.integer(constants.count)
    _ = note(.integer(Int64(count)), .integer(number))
    return Int(number)
  }

  private mutating func note(_ value: StoreValue, _ standIn: StoreValue) -> StoreValue {
    constants.append(value)
    standIns.append(standIn)
    return standIn
  }
}

/// Values that stand for constants. No two of them are equal, and no ordinary request has one.
private enum StandIns {
  static func integer(_ index: Int) -> Int64 { Int64.max - 0x5A5A_0000 + Int64(index) }

  static func real(_ index: Int) -> Double { Double(bitPattern: 0x7F00_0000_5A5A_0000 + UInt64(index)) }

  /// Texts that bytes order as Swift does: see `QueryPrinter`.
  static let plainTexts = (0...FetchShape.constantLimit).map { "\u{1}\($0)\u{1}" }
  static let texts = (0...FetchShape.constantLimit).map { "\u{1}z\($0)\u{1}" }
  static let blobs = (0...FetchShape.constantLimit).map { Data("\u{1}\($0)\u{1}".utf8) }
}

extension StoreValue {
  /// The stand-in of the value's class; `nil` if a statement's text may depend on the value itself.
  fileprivate func standIn(_ index: Int) -> StoreValue? {
    guard index <= FetchShape.constantLimit else { return nil }
    switch self {
    case .null: return nil
    case .integer(let number): return number == 0 || number == 1 ? nil : .integer(StandIns.integer(index))
    case .real(let number): return number.isFinite ? .real(StandIns.real(index)) : nil
    case .blob: return .blob(StandIns.blobs[index])
    case .text(let text):
      switch text.order {
      case .bytes: return .text(StandIns.plainTexts[index])
      case .ascii: return .text(StandIns.texts[index])
      case .other: return nil
      }
    }
  }
}

extension String {
  fileprivate enum Order { case bytes, ascii, other }

  /// The class of the text. An ASCII text has one form only, unless it has `;`, `K` or a grave accent: other characters are
  /// canonically equivalent to these.
  fileprivate var order: Order {
    guard !isEmpty else { return .other }
    var order = Order.bytes
    for byte in utf8 where byte >= UInt8(ascii: ";") {
      switch byte {
      case UInt8(ascii: ";"), UInt8(ascii: "K"), UInt8(ascii: "`"): return .other
      case 0x80...: return .other
      default: order = .ascii
      }
    }
    return order
  }
}
