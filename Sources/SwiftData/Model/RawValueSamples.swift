/// Values of a type with raw values: all cases if they are known, else values of small numbers, else the value of zero.
func rawValueSamples<Value: RawRepresentable>(of type: Value.Type) -> [Value] {
  if let cases = type as? any CaseIterable.Type { return allCases(cases) as? [Value] ?? [] }
  let numbers = (-1...64).compactMap { number in (number as? Value.RawValue).flatMap { Value(rawValue: $0) } }
  return numbers.isEmpty ? zero(type).map { [$0] } ?? [] : numbers
}

private func allCases<Value: CaseIterable>(_ type: Value.Type) -> Any { Array(type.allCases) }

extension KeyPathComponent.Accessor {
  /// `RawRepresentable.rawValue`, as generic code writes it.
  private static let rawValue: Self? = {
    func keyPath<Value: RawRepresentable>(_ type: Value.Type) -> AnyKeyPath { \Value.rawValue }
    return Self(of: keyPath(FloatingPointSign.self))
  }()

  /// Whether this may be the raw value of a type, and can be read of each of its values.
  ///
  /// The raw value of an enumeration cannot be told from its other getters by the identity, but each case is a value
  /// that a row may have. A getter of a structure may fail on values that no row has.
  func mayBeRawValue(of type: Any.Type) -> Bool {
    guard let type = type as? any RawRepresentable.Type else { return false }
    func isEnumeration<Value: RawRepresentable>(_ type: Value.Type) -> Bool {
      rawValueSamples(of: type).first.map { Mirror(reflecting: $0).displayStyle == .enum } ?? false
    }
    return self == Self.rawValue || isEnumeration(type)
  }
}
