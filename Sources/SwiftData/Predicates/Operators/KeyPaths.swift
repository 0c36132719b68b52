internal import Foundation
internal import StoreRequests

extension PredicateExpressions.KeyPath: StoreExpressible {
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm {
    let term = try translation.term(root)
    switch term {
    case .constant(let constant):
      guard let constant = constant as? Root.Output else { return .constant(Optional<Output>(nil) as Any) }
      return .constant(constant[keyPath: keyPath])
    case .object(let object):
      return try translation.walk(keyPath, from: object)
    case .objects(let objects):
      switch kind {
      case .collectionCount: return .value(objects.count)
      case .collectionIsEmpty: return .value(.negation(objects.exists))
      case .collectionFirst, .bidirectionalCollectionLast, nil:
        throw translation.unsupported(self, "a to-many relationship supports only its count and tests of its members")
      @unknown default:
        throw translation.unsupported(self, "a to-many relationship supports only its count and tests of its members")
      }
    case .composite(let composite):
      return try element(of: composite, in: translation)
    case .value(let value):
      return try property(of: value, in: translation)
    case .opaque(let list) where kind == .collectionCount && translation.resolver.capabilities.contains(.collections):
      return .value(.elementCount(list))
    case .opaque(let list) where kind == .collectionIsEmpty && translation.resolver.capabilities.contains(.collections):
      return .value(.comparison(.equal, .elementCount(list), .constant(.integer(0))))
    case .range, .opaque:
      _ = try translation.value(of: term, self)
      return term
    }
  }

  /// A property of a single column's value, such as the length of a text.
  private func property(of value: FetchExpression, in translation: PredicateTranslation) throws -> StoreTerm {
    if Root.Output.self == String.self {
      switch kind {
      case .collectionCount: return .value(.string(.count, [value]))
      case .collectionIsEmpty: return .value(.string(.isEmpty, [value]))
      default: break
      }
    }
    // The column of an enumeration holds the raw value.
    if let type = Root.Output.self as? any RawRepresentable.Type, isRawValue(keyPath, of: type) { return .value(value) }
    if let type = Root.Output.self as? any Decodable.Type, isSingleValue(keyPath, of: type) { return .value(value) }
    throw translation.unsupported(self, "it is computed, not stored")
  }

  private func element(of composite: CompositeTerm, in translation: PredicateTranslation) throws -> StoreTerm {
    let path = SwiftData.sketch(keyPath).split(separator: ".").map(String.init)
    func rest(_ leaf: [String]) -> [String]? { leaf.starts(with: path) ? Array(leaf.dropFirst(path.count)) : nil }
    var result = composite
    result.element += path
    result.description.leaves = composite.description.leaves.compactMap(rest)
    result.description.opaque = Set(composite.description.opaque.compactMap(rest))
    guard let first = result.description.leaves.first, !path.isEmpty else {
      throw translation.unsupported(self, "it is computed, not stored")
    }
    if first.isEmpty {
      let value = FetchExpression.attribute(result.path, name: result.name, element: result.element)
      return result.description.opaque.isEmpty ? .value(value) : .opaque(value)
    }
    result.description.encode = nil
    return .composite(result)
  }

  package var sketch: String { "\(SwiftData.sketch(root)).\(SwiftData.sketch(keyPath))" }
}

/// Whether a key path from a type with raw values is the path to its raw value.
///
/// The key path to a type's own property differs from the key path to the protocol's requirement, so sample values
/// decide.
private func isRawValue<Value: RawRepresentable>(_ keyPath: AnyKeyPath, of type: Value.Type) -> Bool {
  guard let keyPath = keyPath as? KeyPath<Value, Value.RawValue>,
    let components = KeyPathComponent.all(of: keyPath), components.count == 1
  else { return false }
  switch components[0].component {
  case .stored: break
  case .computed(let accessor) where accessor.mayBeRawValue(of: type): break
  case .computed, .optional, .forced: return false
  }
  let samples = rawValueSamples(of: type)
  return !samples.isEmpty
    && samples.allSatisfy { storeValue($0[keyPath: keyPath]) == storeValue($0.rawValue) }
}

/// Whether a key path leads to the stored member that a type encodes as its single value.
private func isSingleValue<Value: Decodable>(_ keyPath: AnyKeyPath, of type: Value.Type) -> Bool {
  guard case .singleValue(let leaf) = AttributeLayout.of(type).shape,
    KeyPathComponent.all(of: keyPath)?.map(\.component) == [.stored]
  else { return false }
  let samples = sampleValues(of: leaf.type).compactMap { storeValue($0) }.compactMap { stored in
    (try? LeafDecoder.decode(type, from: [leaf.key: stored])).map { (value: $0, stored: stored) }
  }
  return samples.count > 1
    && samples.allSatisfy { sample in
      sample.value[keyPath: keyPath].flatMap { unwrap($0) }.flatMap { storeValue($0) } == sample.stored
    }
}

extension PredicateTranslation {
  /// Follows a key path from an object to the value at its end.
  mutating func walk(_ keyPath: AnyKeyPath, from object: ObjectTerm) throws -> StoreTerm {
    var object = object
    var result = StoreTerm.object(object)
    for step in try resolver.route(of: keyPath, from: object.type) {
      switch step {
      case .attribute(let name, let element, let isOpaque):
        let value = FetchExpression.attribute(object.path, name: name, element: element)
        result = isOpaque ? .opaque(value) : .value(value)
      case .composite(let name, let element, let description):
        result = .composite(CompositeTerm(path: object.path, name: name, element: element, description: description))
      case .toOne(let name, let type):
        object.path.follow(name)
        object.type = type
        result = .object(object)
      case .toMany(let name, let type):
        result = .objects(
          ObjectsTerm(owner: object.path, relationship: name, type: type, variable: makeVariable()))
      case .identifier:
        result = .object(object)
      }
    }
    return result
  }
}
