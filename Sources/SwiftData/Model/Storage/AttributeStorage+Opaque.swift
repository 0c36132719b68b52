internal import CoreDataStore

extension _AttributeStorage {
  /// Reads the next column as bytes made by a transformer or by the type's own coding.
  public mutating func _read(from row: inout _RowReader, as option: Schema.Attribute.Option) {
    guard row.offers(&self) else { return }
    var place = row.place
    place.isJSON = row.row.isJSON
    value = OpaqueValue(option).read(Value.self, from: row.blob(), at: place)
  }

  /// Writes bytes made by a transformer or by the type's own coding.
  ///
  /// - Throws: ``SwiftDataError/modelValidationFailure`` if neither can make them.
  public func _write(
    of object: some PersistentModel, at property: Int, into row: inout _RowWriter, as option: Schema.Attribute.Option
  ) throws {
    do {
      try row.write(OpaqueValue(option).bytes(of: _value(for: object, at: property)))
    } catch let problem as OpaqueValue.Problem {
      let model = ModelClass.of(type(of: object))
      throw SwiftDataError(
        .modelValidationFailure,
        "\(model.className).\(model.property(at: property)?.name ?? "?"): \(problem.reason)")
    }
  }
}
