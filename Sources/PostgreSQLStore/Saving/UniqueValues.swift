import PostgreSQL

/// The values of a unique constraint in one row, in a form that equal values share.
struct UniqueValues: Hashable {
  let constraint: Identifier
  /// For each column, the length of its form in four bytes, and the form.
  private(set) var bytes: [UInt8] = []

  /// - Parameter forms: the form of each column's value, in the order of the columns.
  /// - Returns: `nil` if one of the values is `NULL`, which equals no value.
  init?(_ constraint: UniqueConstraint, _ forms: some Sequence<(DataType, [UInt8]?)>) {
    self.constraint = constraint.name
    for (type, form) in forms {
      guard let form else { return nil }
      let equal = type.equalForm(form)
      BinaryForm.append(Int32(clamping: equal.count), to: &bytes)
      bytes += equal
    }
  }

  func hash(into hasher: inout Hasher) {
    // The constraint is left out: two constraints seldom have equal values.
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }

  /// Appends the value of each column to the values of the column.
  func append(to columns: inout [ColumnValues]) {
    var rest = bytes[...]
    for index in columns.indices {
      let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      let form = rest.dropFirst(4).prefix(length)
      columns[index].append { $0 += form }
      rest = rest[form.endIndex...]
    }
  }
}
