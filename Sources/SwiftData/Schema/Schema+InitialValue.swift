internal import Foundation
internal import ManagedModel
internal import StoreRequests

extension Schema.Attribute {
  /// Adds the values that old rows get in the columns of the attribute. Needed for defaults that Core Data's model cannot
  /// express: a collection, a structure, an enumeration, or a value that is stored as bytes.
  func lower(initialValueInto lowered: inout AttributeDescription) {
    guard lowered.defaultValue == nil, lowered.derivation == nil, !lowered.isTransient, let defaultValue else { return }
    // Without a value the migration says what is missing.
    guard let values = try? Self.stored(defaultValue, of: valueType, as: options.first(where: \.isOpaque)) else {
      return
    }
    var rest = values[...]
    lowered.takeInitialValues(from: &rest)
  }

  /// The values of the columns, as the rows of objects have them.
  private static func stored(_ value: Any, of type: any Any.Type, as option: Option?) throws -> [StoreValue] {
    let sink = ValueSink(keepsAllDigits: true)
    var row = _RowWriter(RowBinder(sink, startingAt: 1))
    if let option {
      try row.write(OpaqueValue(option).bytes(of: value))
    } else {
      try AttributeLayout.of(type).write(value, into: &row)
    }
    return sink.values
  }
}

extension _CompositeElement {
  /// The value that old rows get in the column of an element that holds JSON.
  static func initialValue(ofJSON value: Any?) -> AttributeValue? {
    guard let value else { return nil }
    let content: Any? = (value as? any OptionalType).map { $0.wrappedValue } ?? value
    return (content as? any Encodable).flatMap { try? ColumnJSON.encode($0) }.map { .binary($0) }
  }
}

extension AttributeDescription {
  /// Takes the values of the columns in their order: one, or those of the elements.
  fileprivate mutating func takeInitialValues(from values: inout ArraySlice<StoreValue>) {
    if type == .composite {
      for index in elements.indices { elements[index].takeInitialValues(from: &values) }
    } else if !isTransient, let value = values.popFirst() {
      initialValue = AttributeValue(value, as: type)
    }
  }
}

extension AttributeValue {
  /// A column's value; `nil` for `NULL`.
  fileprivate init?(_ value: StoreValue, as type: AttributeType) {
    switch value {
    case .null: return nil
    case .integer(let number): self = .integer(number)
    case .real(let number): self = type == .date ? .date(number) : .double(number)
    case .text(let text): self = type == .uri ? .uri(text) : .string(text)
    case .blob(let data):
      guard type == .uuid, data.count == 16 else {
        self = .binary(data)
        return
      }
      self = .uuid(UUID(uuid: data.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }))
    }
    if type == .decimal, let number = value.allDigits { self = .decimal(number) }
  }
}
