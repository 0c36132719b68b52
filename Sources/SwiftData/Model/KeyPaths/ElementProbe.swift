internal import Foundation
internal import StoreRequests

/// Finds the element of a property's value that a key path leads to, with probes whose values differ in one element.
struct ElementProbe {
  let path: AnyKeyPath
  let model: ModelClass
  let property: ModelClass.Property
  /// The number of properties that the path leads through.
  let index: Int

  init(path: AnyKeyPath, of model: ModelClass, property: ModelClass.Property, index: Int) {
    self.path = path
    self.model = model
    self.property = property
    self.index = index
  }

  /// The path to the element in the value; `nil` if the key path computes its value.
  var element: [String]? {
    let layout = AttributeLayout.of(property.valueType)
    let target = (property.valueType as? any OptionalType.Type)?.wrappedType ?? property.valueType
    switch layout.shape {
    case .rawValue(let column):
      guard let type = target as? any RawRepresentable.Type else { return nil }
      let values = values(of: type)
      let isRawValue = values.allSatisfy { value in
        guard let result = read(with: value), let stored = constant(result) else { return false }
        return stored == rawConstant(value) && Swift.type(of: result) == column
      }
      return isRawValue && !values.isEmpty ? [property.persistentName] : nil
    case .structure, .singleValue:
      let leaves = layout.shape.leaves.map { LeafSamples($0) }
      guard let type = target as? any Decodable.Type else { return nil }
      let samples = Dictionary(leaves.map { ($0.leaf.key, $0[0]) }) { first, _ in first }
      let found = leaves.filter { leaf in
        leaf.areDifferent
          && [1, 2].allSatisfy { round in
            var values = samples
            values[leaf.leaf.key] = leaf[round]
            guard let value = try? LeafDecoder.decode(type, from: values), let result = read(with: value) else {
              return false
            }
            return leaf.stored(result) == leaf[round]
          }
      }
      return found.count == 1 ? found.first?.leaf.path : nil
    case .column, .cases, .variants, .collection, .list, .unsupported: return nil
    }
  }

  private func read(with value: Any) -> Any? {
    let recorder = PathRecorder()
    recorder.planted = (index, value)
    let result = recorder.makeProbe(model.type)[keyPath: path]
    if let optional = result as? any OptionalType { return optional.wrappedValue }
    return result
  }

  private func constant(_ value: Any) -> StoreValue? { (value as? any _ColumnValue)?._columnConstant.value }

  private func values<Raw: RawRepresentable>(of type: Raw.Type) -> [Any] { rawValueSamples(of: type) }

  private func rawConstant(_ value: Any) -> StoreValue? {
    (value as? any RawRepresentable).flatMap { constantOfRaw($0) }
  }

  private func constantOfRaw<Raw: RawRepresentable>(_ value: Raw) -> StoreValue? { constant(value.rawValue) }
}
