internal import Foundation

/// Finds out whether a key path returns the stored value of a property, or a value computed from it.
///
/// A computed property may have the type of the stored property that it reads. The path is tried on sample values,
/// which it has to return unchanged.
struct PathVerification {
  let keyPath: AnyKeyPath
  let model: any PersistentModel.Type
  let path: ModelPath

  /// Whether the path returns the last property's value for all samples; false without samples, or if values are not
  /// comparable.
  var isFaithful: Bool {
    guard let property = path.properties.last, property.relationshipType == nil else { return true }
    let samples = samples(of: property.valueType)
    return !samples.isEmpty && samples.allSatisfy(comesBack)
  }

  private func comesBack(_ sample: any Equatable) -> Bool {
    let recorder = PathRecorder()
    recorder.planted = (path.properties.count, sample)
    guard let result = recorder.makeProbe(model)[keyPath: keyPath].flatMap({ unwrap($0) }) else { return false }
    return isEqual(sample, result)
  }

  private func isEqual<Value: Equatable>(_ sample: Value, _ result: Any) -> Bool { sample == result as? Value }

  /// Values that a computation is unlikely to leave unchanged.
  private func samples(of type: Any.Type) -> [any Equatable] {
    switch type {
    case let optional as any OptionalType.Type: samples(of: optional.wrappedType)
    case is String.Type: [" Aß1\n", "z", ""]
    case is Bool.Type: [true, false]
    case is Date.Type: [Date(timeIntervalSinceReferenceDate: 123.5), Date.distantPast]
    case is Data.Type: [Data([1, 2]), Data()]
    case is UUID.Type: [UUID(), UUID()]
    case is URL.Type: [URL(fileURLWithPath: "/A/b/"), URL(fileURLWithPath: "/")]
    case is Decimal.Type: [Decimal(-41), Decimal(string: "42.5") ?? 0]
    case let integer as any FixedWidthInteger.Type: integers(integer)
    case let number as any BinaryFloatingPoint.Type: numbers(number)
    case let cases as any CaseIterable.Type: equatables(of: cases)
    default: (zeroValue(type) as? any Equatable).map { [$0] } ?? []
    }
  }

  private func integers<Number: FixedWidthInteger>(_ type: Number.Type) -> [any Equatable] {
    [Number(41), Number(0), Number.max, Number.min]
  }

  private func numbers<Number: BinaryFloatingPoint>(_ type: Number.Type) -> [any Equatable] {
    [Number(41.5), Number(0), Number(-3)]
  }

  private func equatables<Value: CaseIterable>(of type: Value.Type) -> [any Equatable] {
    type.allCases.compactMap { $0 as? any Equatable }
  }

  private func zeroValue(_ type: Any.Type) -> Any? {
    func open<Value>(_ type: Value.Type) -> Any? { zero(type) }
    return open(type)
  }
}
