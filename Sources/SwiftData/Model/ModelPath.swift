internal import Foundation

/// The persisted properties that a key path leads through.
struct ModelPath {
  /// The properties in order; all but the last are to-one relationships.
  let properties: [ModelClass.Property]
  /// The part of the path after the properties.
  let end: End

  enum End: Equatable {
    /// No further part: the path's value is the last property's value.
    case property
    /// The identifier of the object that the properties lead to.
    case identifier
    /// An element of the last property's value: the leaf of a structure, or the raw value.
    case element([String])
  }
}

extension ModelClass {
  /// The persisted properties along a key path, which may have several components or be written for a protocol.
  ///
  /// Key paths on Linux do not reveal their components. So the key path reads a probe, an object without values, which
  /// records each property that is read. A to-one relationship of a probe leads to another probe. The result is cached
  /// per key path.
  /// - Throws: ``SwiftDataError/unsupportedKeyPath`` for a path whose value is not a property's value or an element of
  ///   it.
  func path(of keyPath: AnyKeyPath) throws -> ModelPath {
    if let property = byKeyPathProperty(keyPath) { return ModelPath(properties: [property], end: .property) }
    if let known = paths[keyPath] { return known }
    let path = try recordedPath(keyPath)
    paths[keyPath] = path
    return path
  }

  private func recordedPath(_ keyPath: AnyKeyPath) throws -> ModelPath {
    let recorder = PathRecorder()
    let probe = recorder.makeProbe(type)
    let value = probe[keyPath: keyPath]
    let valueType = Swift.type(of: keyPath).valueType
    func unsupported(_ reason: String) -> SwiftDataError {
      SwiftDataError(
        .unsupportedKeyPath,
        "The key path \(keyPath) of \(className) \(reason): name persisted properties, and relationships to one object before them."
      )
    }
    guard value != nil else { throw unsupported("is not one of this class") }
    guard recorder.isStraight else { throw unsupported("reads several properties") }
    if recorder.endsInIdentifier {
      guard unwrapped(valueType) == PersistentIdentifier.self else { throw unsupported("computes its value") }
      return ModelPath(properties: recorder.properties, end: .identifier)
    }
    guard let last = recorder.properties.last else { throw unsupported("reads no persisted property") }
    if unwrapped(valueType) == unwrapped(last.valueType) {
      return ModelPath(properties: recorder.properties, end: .property)
    }
    if let element = ElementProbe(path: keyPath, of: self, property: last, index: recorder.properties.count).element {
      return ModelPath(properties: recorder.properties, end: .element(element))
    }
    throw unsupported("computes its value")
  }

  private func unwrapped(_ type: any Any.Type) -> any Any.Type {
    (type as? any OptionalType.Type)?.wrappedType ?? type
  }
}

/// A cache of paths under a lock; key paths and properties are immutable.
final class PathCache: @unchecked Sendable {
  private let lock = NSLock()
  private var paths: [AnyKeyPath: ModelPath] = [:]

  subscript(keyPath: AnyKeyPath) -> ModelPath? {
    get { lock.withLock { paths[keyPath] } }
    set { lock.withLock { paths[keyPath] = newValue } }
  }
}

/// Records the properties of probes that a key path reads.
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

  /// The value that a probe's property returns.
  func plantedValue<Value>(_ type: Value.Type) -> Value? {
    guard let planted, planted.depth == properties.count else { return nil }
    return planted.value as? Value
  }
}
