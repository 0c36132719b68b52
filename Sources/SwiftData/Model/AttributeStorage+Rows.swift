internal import CoreDataStore

extension _AttributeStorage where Value: _ColumnValue {
  /// Takes the next column; empty for `NULL`.
  @inlinable
  public mutating func _read(from row: inout _RowReader) {
    if row.offers(&self) { value = Value._read(from: &row) }
  }

  /// Writes the next column.
  @inlinable
  public func _write(of object: some PersistentModel, at property: Int, into row: inout _RowWriter) throws {
    try Value._write(_value(for: object, at: property), into: &row)
  }
}

extension _AttributeStorage {
  /// Takes the next column; `nil` for `NULL`.
  @inlinable
  public mutating func _read<Column: _ColumnValue>(from row: inout _RowReader) where Value == Column? {
    if row.offers(&self) { value = .some(Column._read(from: &row)) }
  }

  /// Writes the next column.
  @inlinable
  public func _write<Column: _ColumnValue>(
    of object: some PersistentModel, at property: Int, into row: inout _RowWriter
  ) throws where Value == Column? {
    try Column._write(_value(for: object, at: property), into: &row)
  }
}

extension _AttributeStorage where Value: RawRepresentable, Value.RawValue: _ColumnValue {
  /// Takes the next column as a raw value; empty for `NULL` and for a raw value the type does not know.
  @inlinable
  public mutating func _read(from row: inout _RowReader) {
    if row.offers(&self) { value = Value.RawValue._read(from: &row).flatMap { Value(rawValue: $0) } }
  }

  /// Writes the raw value.
  @inlinable
  public func _write(of object: some PersistentModel, at property: Int, into row: inout _RowWriter) throws {
    try Value.RawValue._write(_value(for: object, at: property).rawValue, into: &row)
  }
}

extension _AttributeStorage {
  /// Takes the next column as a raw value; `nil` for `NULL` and for a raw value the type does not know.
  @inlinable
  public mutating func _read<Raw: RawRepresentable>(from row: inout _RowReader)
  where Value == Raw?, Raw.RawValue: _ColumnValue {
    if row.offers(&self) { value = .some(Raw.RawValue._read(from: &row).flatMap { Raw(rawValue: $0) }) }
  }

  /// Writes the raw value.
  @inlinable
  public func _write<Raw: RawRepresentable>(
    of object: some PersistentModel, at property: Int, into row: inout _RowWriter
  ) throws where Value == Raw?, Raw.RawValue: _ColumnValue {
    try Raw.RawValue._write(_value(for: object, at: property)?.rawValue, into: &row)
  }
}

extension _AttributeStorage {
  /// Takes as many columns as the type's layout has; the way of every type that is not a column's by itself.
  @_disfavoredOverload
  public mutating func _read(from row: inout _RowReader) {
    if row.offers(&self) { value = AttributeLayout.of(Value.self).read(Value.self, from: &row) }
  }

  /// Writes as many columns as the type's layout has.
  @_disfavoredOverload
  public func _write(of object: some PersistentModel, at property: Int, into row: inout _RowWriter) throws {
    try AttributeLayout.of(Value.self).write(_value(for: object, at: property), into: &row)
  }
}

extension _ToOneStorage {
  /// Takes the key of the destination.
  public mutating func _read(from row: inout _RowReader) {
    guard row.offers(&self) else { return }
    if let key = row.row.object() { reference = .key(key) } else { reference = .nothing }
  }

  /// Writes the key of the destination; that of a new one is known once the save has assigned it.
  public func _write(of object: some PersistentModel, at property: Int, into row: inout _RowWriter) throws {
    switch reference {
    case .pending, .nothing: try row.row.bind(nil as ObjectKey?)
    case .key(let key): try row.row.bind(key)
    case .object(let object): try row.row.bind(Self.destination(object)._$state.rowKey)
    }
  }
}

extension _ToManyStorage {
  /// No column belongs to the owner of a to-many relationship; what was loaded before is no longer true.
  public mutating func _read(from row: inout _RowReader) {
    if row.offers(&self) { members = .pending }
  }

  /// No column belongs to the owner of a to-many relationship.
  public func _write(of object: some PersistentModel, at property: Int, into row: inout _RowWriter) throws {}
}
