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
  /// The components of the key path are compared with those of the properties' key paths, so no getter of the program
  /// runs. The result is cached per key path.
  /// - Throws: ``SwiftDataError/unsupportedKeyPath`` for a path whose value is not a property's value or an element of
  ///   it.
  func path(of keyPath: AnyKeyPath) throws -> ModelPath {
    if let property = byKeyPathProperty(keyPath) { return ModelPath(properties: [property], end: .property) }
    if let known = paths[keyPath] { return known }
    let path = try recognisedPath(keyPath)
    paths[keyPath] = path
    return path
  }

  private func recognisedPath(_ keyPath: AnyKeyPath) throws -> ModelPath {
    guard isRoot(of: keyPath) else { throw unsupported(keyPath, "is not one of this class") }
    guard let components = KeyPathComponent.all(of: keyPath) else {
      throw unsupported(keyPath, "has components that this version of Swift keeps in an unknown form")
    }
    guard let steps = PathSteps(components, from: self) else { throw unsupported(keyPath, "computes its value") }
    if steps.hasRequirement { return try recordedPath(keyPath) }
    if steps.endsInIdentifier { return ModelPath(properties: steps.properties, end: .identifier) }
    guard let last = steps.properties.last else { throw unsupported(keyPath, "reads no persisted property") }
    if steps.rest.isEmpty { return ModelPath(properties: steps.properties, end: .property) }
    return try elementPath(keyPath, steps.properties, of: last)
  }

  /// The path of a key path that is written for a protocol.
  ///
  /// A requirement does not tell which property of the class fulfils it. So the key path reads a probe, an object with
  /// sample values, which records each property that is read. A to-one relationship of a probe leads to another probe.
  private func recordedPath(_ keyPath: AnyKeyPath) throws -> ModelPath {
    let recorder = PathRecorder()
    guard recorder.makeProbe(type)[keyPath: keyPath] != nil else {
      throw unsupported(keyPath, "is not one of this class")
    }
    let valueType = Swift.type(of: keyPath).valueType
    guard recorder.isStraight else { throw unsupported(keyPath, "reads several properties") }
    if recorder.endsInIdentifier {
      guard unwrapped(valueType) == PersistentIdentifier.self else { throw unsupported(keyPath, "computes its value") }
      return ModelPath(properties: recorder.properties, end: .identifier)
    }
    guard let last = recorder.properties.last else { throw unsupported(keyPath, "reads no persisted property") }
    guard unwrapped(valueType) == unwrapped(last.valueType) else {
      return try elementPath(keyPath, recorder.properties, of: last)
    }
    let path = ModelPath(properties: recorder.properties, end: .property)
    guard PathVerification(keyPath: keyPath, model: type, path: path).isFaithful else {
      throw unsupported(keyPath, "computes its value")
    }
    return path
  }

  /// The path to an element of a property's value.
  private func elementPath(_ keyPath: AnyKeyPath, _ properties: [Property], of last: Property) throws -> ModelPath {
    let probe = ElementProbe(path: keyPath, of: self, property: last, index: properties.count)
    guard let element = probe.element else { throw unsupported(keyPath, "computes its value") }
    return ModelPath(properties: properties, end: .element(element))
  }

  /// Whether a key path can be applied to objects of the class.
  private func isRoot(of keyPath: AnyKeyPath) -> Bool {
    func isKind<Root: PersistentModel>(of root: Root.Type) -> Bool { type is Root.Type }
    return (Swift.type(of: keyPath).rootType as? any PersistentModel.Type).map { isKind(of: $0) } ?? false
  }

  private func unsupported(_ keyPath: AnyKeyPath, _ reason: String) -> SwiftDataError {
    SwiftDataError(
      .unsupportedKeyPath,
      "The key path \(keyPath) of \(className) \(reason): name persisted properties, and relationships to one object before them."
    )
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
