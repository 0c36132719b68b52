internal import Foundation

/// The persisted properties that a key path leads through.
struct ModelPath {
  /// The properties in order; all but the last are relationships to one object.
  let properties: [ModelClass.Property]
  /// What stands after them.
  let end: End

  enum End: Equatable {
    /// Nothing: the path's value is the last property's.
    case property
    /// The identifier of the object that the properties lead to.
    case identifier
    /// A part of the last property's value: the leaf of a structure, or the raw value.
    case element([String])
  }
}

extension ModelClass {
  /// The persisted properties that a key path leads through, also one of several components, or one written through a protocol.
  ///
  /// Key paths have no components to ask for on Linux. So a probe, an object without values, is read through the key path, and notes
  /// which properties were asked for; a relationship of it leads to another probe. Remembered per key path.
  /// - Throws: ``SwiftDataError/unsupportedKeyPath`` for a path whose value is not just a property's, or a part of one.
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

/// Paths that were found, under a lock; key paths and properties are immutable.
final class PathCache: @unchecked Sendable {
  private let lock = NSLock()
  private var paths: [AnyKeyPath: ModelPath] = [:]

  subscript(keyPath: AnyKeyPath) -> ModelPath? {
    get { lock.withLock { paths[keyPath] } }
    set { lock.withLock { paths[keyPath] = newValue } }
  }
}

/// Notes which properties of probes are read.
final class PathRecorder {
  private(set) var properties: [ModelClass.Property] = []
  private(set) var endsInIdentifier = false
  /// Whether each read was one of the object that the read before led to.
  private(set) var isStraight = true
  private weak var expected: AnyObject?
  private var probes: [any PersistentModel] = []
  /// The stored value to give to the last property, for ``ElementProbe``.
  var planted: (depth: Int, value: Any)?

  /// An object without values, whose reads are noted.
  func makeProbe(_ type: any PersistentModel.Type) -> any PersistentModel {
    let probe = Materialization.makeBlank(type)
    // Literal defaults get into blank objects too; only what is empty asks for its value, and is noted.
    var emptier = StorageEmptier()
    for property in ModelClass.of(type).properties { probe._$visit(property.index, &emptier) }
    probe._$state.needExtras().recorder = self
    probes.append(probe)
    expected = probe
    return probe
  }

  /// Notes the read of a property; gives what it is to lead to, if it is a relationship to one object.
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

  /// The value a probe's property is to have.
  func plantedValue<Value>(_ type: Value.Type) -> Value? {
    guard let planted, planted.depth == properties.count else { return nil }
    return planted.value as? Value
  }
}
