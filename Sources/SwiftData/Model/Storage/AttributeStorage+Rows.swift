internal import CoreDataStore
internal import StoreRequests

extension _RowReader {
  /// Whether the row has the next property; if it does not, the storage may be emptied.
  @inlinable @inline(__always)
  mutating func offers<Storage: _PropertyStorage>(_ storage: inout Storage) -> Bool {
    if !isPart || goToNextProperty() { return true }
    if emptiesOthers { storage = Storage() }
    return false
  }
}

extension _AttributeStorage where Value: _ColumnValue {
  /// Reads the next column; leaves the storage empty for `NULL`.
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
  /// Reads the next column; `nil` for `NULL`.
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
  /// Reads the next column as a raw value; leaves the storage empty for `NULL` and for an unknown raw value.
  @inlinable
  public mutating func _read(from row: inout _RowReader) {
    if row.offers(&self) { value = row.rawValue(Value.self) }
  }

  /// Writes the raw value.
  @inlinable
  public func _write(of object: some PersistentModel, at property: Int, into row: inout _RowWriter) throws {
    try Value.RawValue._write(_value(for: object, at: property).rawValue, into: &row)
  }
}

extension _AttributeStorage {
  /// Reads the next column as a raw value; `nil` for `NULL` and for an unknown raw value.
  @inlinable
  public mutating func _read<Raw: RawRepresentable>(from row: inout _RowReader)
  where Value == Raw?, Raw.RawValue: _ColumnValue {
    if row.offers(&self) { value = .some(row.rawValue(Raw.self)) }
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
  /// Reads all columns of the type's layout; used for types that are not one column by themselves.
  @_disfavoredOverload
  public mutating func _read(from row: inout _RowReader) {
    if row.offers(&self) { value = AttributeLayout.of(Value.self).read(Value.self, from: &row) }
  }

  /// Writes all columns of the type's layout.
  @_disfavoredOverload
  public func _write(of object: some PersistentModel, at property: Int, into row: inout _RowWriter) throws {
    try AttributeLayout.of(Value.self).write(_value(for: object, at: property), into: &row)
  }
}

extension _ToOneStorage {
  /// Reads the foreign key.
  public mutating func _read(from row: inout _RowReader) {
    guard row.offers(&self) else { return }
    if let key = row.row.object() { reference = .key(key) } else { reference = .nothing }
  }

  /// Writes the foreign key; the key of a new destination is known after the save has assigned it.
  public func _write(of object: some PersistentModel, at property: Int, into row: inout _RowWriter) throws {
    switch reference {
    case .pending, .nothing: try row.row.bind(nil as ObjectKey?)
    case .key(let key): try row.row.bind(key)
    case .object(let held): try row.row.bind(Self.destination(held)._$state.rowKey)
    }
  }
}

extension _ToManyStorage {
  /// Drops the loaded members; the owner's row has no column for a to-many relationship.
  public mutating func _read(from row: inout _RowReader) {
    if row.offers(&self) { members = .pending }
  }

  /// Writes nothing; the owner's row has no column for a to-many relationship.
  public func _write(of object: some PersistentModel, at property: Int, into row: inout _RowWriter) throws {}
}
