/// Finds out whether a key path that is written for a protocol returns the stored value of a property, or a value
/// computed from it.
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
    let samples = sampleValues(of: property.valueType)
    return !samples.isEmpty && samples.allSatisfy(comesBack)
  }

  private func comesBack(_ sample: any Equatable) -> Bool {
    let recorder = PathRecorder()
    recorder.planted = (path.properties.count, sample)
    guard let result = recorder.makeProbe(model)[keyPath: keyPath] else { return false }
    guard let optional = result as? any OptionalType else { return isEqual(sample, result) }
    return optional.wrappedValue.map { isEqual(sample, $0) } ?? false
  }

  private func isEqual<Value: Equatable>(_ sample: Value, _ result: Any) -> Bool { sample == result as? Value }
}
