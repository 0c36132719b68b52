/// Records the properties of probes that a key path reads.
///
/// Only key paths of stored members, of raw values and of protocols' requirements read probes (``PathSteps``).
final class PathRecorder {
  private(set) var properties: [ModelClass.Property] = []
  private(set) var endsInIdentifier = false
  /// Whether each read was of the object that the previous read returned.
  private(set) var isStraight = true
  private weak var expected: AnyObject?
  private var probes: [any PersistentModel] = []
  /// The value that the last property returns, for ``ElementProbe``.
  var planted: (depth: Int, value: Any)?

  /// An object without values, whose reads are recorded.
  func makeProbe(_ type: any PersistentModel.Type) -> any PersistentModel {
    let probe = Materialization.makeBlank(type)
    // Empties the storages: a blank object has literal defaults, and only an empty storage records its read.
    var emptier = StorageEmptier()
    for property in ModelClass.of(type).properties { probe._$visit(property.index, &emptier) }
    probe._$state.needExtras().recorder = self
    probes.append(probe)
    expected = probe
    return probe
  }

  /// Records the read of a property; returns a probe for the destination if the property is a to-one relationship.
  func note(_ property: Int, of object: any PersistentModel) -> (any PersistentModel)? {
    guard let known = ModelClass.of(type(of: object)).property(at: property) else { return nil }
    if object !== expected || endsInIdentifier { isStraight = false }
    properties.append(known)
    expected = nil
    guard let type = known.relationshipType, !type.isToMany else { return nil }
    return makeProbe(type.destination)
  }

  func noteIdentifier(of object: any PersistentModel) {
    if object !== expected || endsInIdentifier { isStraight = false }
    endsInIdentifier = true
  }

  /// The value that a probe's property returns; `nil` for a type without samples.
  func value<Value>(_ type: Value.Type) -> Value? {
    if let planted, planted.depth == properties.count, let value = planted.value as? Value { return value }
    return sampleValues(of: type).first.flatMap { $0 as? Value }
  }
}
