extension AttributeType {
  /// Whether the values are numbers, Booleans among them.
  package var isNumber: Bool {
    switch self {
    case .decimal, .double, .float: true
    default: integerRange != nil
    }
  }

  /// The integers that a value of the type can be; `nil` for other types.
  package var integerRange: ClosedRange<Int64>? {
    switch self {
    case .boolean: 0...1
    case .integer16: Int64(Int16.min)...Int64(Int16.max)
    case .integer32: Int64(Int32.min)...Int64(Int32.max)
    case .integer64: Int64.min...Int64.max
    default: nil
    }
  }
}
