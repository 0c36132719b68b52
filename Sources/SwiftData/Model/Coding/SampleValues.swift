internal import Foundation

/// Values of a type that a computation is unlikely to leave unchanged.
///
/// Zeros, extremes and empty values are not among them: a getter may fail on values that no row has.
func sampleValues(of type: Any.Type) -> [any Equatable] {
  switch type {
  case let optional as any OptionalType.Type: sampleValues(of: optional.wrappedType)
  case is String.Type: ["https://Example.org/Aß1 \n", "http://sample.net/zZ"]
  case is Bool.Type: [true, false]
  case is Date.Type:
    [Date(timeIntervalSinceReferenceDate: 123.5), Date(timeIntervalSinceReferenceDate: -86_400.25)]
  case is Data.Type: [Data([1, 2]), Data([3, 200, 4])]
  case is UUID.Type: [UUID(), UUID()]
  case is URL.Type: [URL(string: "https://Example.org/A/b/"), URL(fileURLWithPath: "/A/b")].compactMap(\.self)
  case is Decimal.Type: [Decimal(-41), Decimal(string: "42.5") ?? 42]
  case let integer as any FixedWidthInteger.Type: integers(integer)
  case let number as any BinaryFloatingPoint.Type: numbers(number)
  case let cases as any CaseIterable.Type: allCases(cases).compactMap { $0 as? any Equatable }
  case let array as any ArrayValue.Type:
    sampleValues(of: array.elementType).compactMap { array.holding($0).flatMap { $0 as? any Equatable } }
  default: (zeroValue(type) as? any Equatable).map { [$0] } ?? []
  }
}

private func integers<Number: FixedWidthInteger>(_ type: Number.Type) -> [any Equatable] {
  [41, -83, 12_000, 1_000_003].compactMap { Number(exactly: $0) }
}

private func numbers<Number: BinaryFloatingPoint>(_ type: Number.Type) -> [any Equatable] {
  [Number(41.5), Number(-3.25), Number(60_000)]
}

private func allCases<Value: CaseIterable>(_ type: Value.Type) -> [Any] { Array(type.allCases) }

private func zeroValue(_ type: Any.Type) -> Any? {
  func open<Value>(_ type: Value.Type) -> Any? { zero(type) }
  return open(type)
}

/// Values of a type with raw values: all cases of an enumeration, else values of small numbers, else the value of zero.
func rawValueSamples<Value: RawRepresentable>(of type: Value.Type) -> [Value] {
  if let cases = type as? any CaseIterable.Type { return allCases(cases).compactMap { $0 as? Value } }
  if let cases = EnumerationBits.values(of: type) { return cases }
  let numbers = (-1...64).compactMap { number in (number as? Value.RawValue).flatMap { Value(rawValue: $0) } }
  return numbers.isEmpty ? zero(type).map { [$0] } ?? [] : numbers
}
