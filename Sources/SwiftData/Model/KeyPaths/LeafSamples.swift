internal import Foundation
internal import StoreRequests

/// Stored values of a structure's element, which tell it from the other elements.
struct LeafSamples {
  let leaf: AttributeLayout.Leaf
  private let values: [StoreValue]

  init(_ leaf: AttributeLayout.Leaf) {
    self.leaf = leaf
    let members = leaf.isJSON || leaf.isCoded ? Self.values(of: leaf.memberType) : []
    var values = leaf.isJSON || leaf.isCoded ? [] : (0...2).map { Self.value(of: leaf.type, $0) }
    for value in members.compactMap({ Self.stored($0, in: leaf) }) where !values.contains(value) {
      values.append(value)
    }
    self.values = values.isEmpty ? [leaf.zero] : values
  }

  /// Whether a round's value differs from that of the round before.
  var areDifferent: Bool { values.count > 1 }

  subscript(round: Int) -> StoreValue { values[round % values.count] }

  /// What the element's column holds for a value that a key path returned; `nil` for a value of another type.
  func stored(_ value: Any) -> StoreValue? {
    guard let content = unwrap(value) else { return nil }
    if leaf.isJSON || leaf.isCoded {
      guard Swift.type(of: content) == unwrapped(leaf.memberType) else { return nil }
    }
    return Self.stored(content, in: leaf)
  }

  private static func stored(_ value: Any, in leaf: AttributeLayout.Leaf) -> StoreValue? {
    if leaf.isCoded { return storeValue(value) }
    guard leaf.isJSON else { return (value as? any _ColumnValue)?._columnConstant.value }
    return (value as? any Encodable).flatMap { try? ColumnJSON.encode($0) }.map { .blob($0) }
  }

  private static func value(of type: any _ColumnValue.Type, _ round: Int) -> StoreValue {
    switch type._zero._columnConstant.value {
    case .integer: .integer(Int64(type == Bool.self ? round % 2 : 40 + round))
    case .real: .real(40.5 + Double(round))
    case .text: .text(type == URL.self ? "https://Example.org/\(round)" : "Aß\(round) ")
    case .blob(let data): .blob(Data(repeating: UInt8(40 + round), count: max(data.count, 16)))
    case .null: .null
    }
  }

  /// Some values of a member's type that has no column of its own.
  private static func values(of type: any Any.Type) -> [Any] {
    let type = unwrapped(type)
    let layout = AttributeLayout.of(type)
    switch (layout.shape, type as? any Decodable.Type) {
    case (.column, _), (.collection, _): return sampleValues(of: type)
    case (.rawValue, _): return (type as? any RawRepresentable.Type).map { rawValues(of: $0) } ?? []
    case (.cases(let names, let values), _): return names.compactMap { values[$0] }
    case (.variants(let cases), let type?):
      return cases.compactMap { member in try? member.value(type, from: member.columns.map { value(of: $0.type, 0) }) }
    case (.structure, let type?), (.singleValue, let type?):
      let samples = layout.shape.leaves.map { LeafSamples($0) }
      return (0...2).compactMap { round in
        try? LeafDecoder.decode(type, from: Dictionary(samples.map { ($0.leaf.key, $0[round]) }) { first, _ in first })
      }
    case (.list, _), (.unsupported, _), (_, nil): return []
    }
  }

  private static func rawValues<Value: RawRepresentable>(of type: Value.Type) -> [Any] { rawValueSamples(of: type) }
}
