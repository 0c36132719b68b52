internal import Foundation
internal import StoreRequests

/// Answers questions about model classes for an open store.
struct StoreResolver: ModelResolver {
  let store: OpenStore

  var capabilities: StoreCapabilities { store.engine.capabilities }

  func decides(_ condition: FetchExpression, about type: any PersistentModel.Type) throws -> Bool {
    store.engine.decides(condition, entityName: try entityName(of: type))
  }

  func sorts(by term: SortTerm, _ type: any PersistentModel.Type) throws -> Bool {
    store.engine.sorts(by: term, entityName: try entityName(of: type))
  }

  var entities: EntityTable { store.engine.entities }

  func entityName(of type: any PersistentModel.Type) throws -> String {
    let name = ModelClass.of(type).entityName
    guard store.number(of: name) != nil else {
      throw UnsupportedExpression(sketch: "\(type)", reason: "the store has no entity \"\(name)\"")
    }
    return name
  }

  func route(of keyPath: AnyKeyPath, from type: any PersistentModel.Type) throws -> [KeyPathStep] {
    let path: ModelPath
    do {
      path = try ModelClass.of(type).path(of: keyPath)
    } catch let error as SwiftDataError {
      throw UnsupportedExpression(
        sketch: "\(type).\(sketch(keyPath))", reason: error.explanation ?? "it is not a persisted property")
    }
    var steps: [KeyPathStep] = []
    for (index, property) in path.properties.enumerated() {
      if property.isTransient {
        throw UnsupportedExpression(sketch: "\(type).\(sketch(keyPath))", reason: "\(property.name) is not stored")
      }
      if let relationship = property.relationshipType {
        let name = property.persistentName
        steps.append(
          relationship.isToMany
            ? .toMany(name: name, relationship.destination) : .toOne(name: name, relationship.destination))
      } else {
        let isLast = index == path.properties.count - 1
        if case .element(let element) = path.end, isLast {
          steps.append(attribute(property, element: element))
        } else {
          steps.append(attribute(property, element: []))
        }
      }
    }
    if path.end == .identifier { steps.append(.identifier) }
    return steps
  }

  func objectKey(of identifier: PersistentIdentifier) -> ObjectKey? {
    store.object(of: identifier)
  }

  /// The storage of an attribute, or of an element of it.
  private func attribute(_ property: ModelClass.Property, element: [String]) -> KeyPathStep {
    let name = property.persistentName
    let isOpaque = property.attribute?.options.contains(where: \.isOpaque) ?? false
    switch AttributeLayout.of(property.valueType).shape {
    case .column, .rawValue, .singleValue:
      return .attribute(name: name, element: [], isOpaque: isOpaque)
    case .structure(let leaves) where !isOpaque:
      if let leaf = leaves.first(where: { $0.path == element }) {
        return .attribute(name: name, element: element, isOpaque: leaf.isJSON)
      }
      var description = CompositeDescription(leaves: leaves.map(\.path)) { value in
        guard let value = value as? any Encodable else { return nil }
        let values = try LeafEncoder.encode(value, keepsAllDigits: capabilities.contains(.decimals))
        return leaves.map { values[$0.key] ?? .null }
      }
      // Equal values may have different JSON texts.
      description.opaque = Set(leaves.filter(\.isJSON).map(\.path))
      return .composite(name: name, element: element, description)
    case .cases(let names, _) where !isOpaque:
      var description = CompositeDescription(leaves: names.map { [$0] }) { value in
        guard let value = value as? any Encodable else { return nil }
        let chosen = try LeafEncoder.caseName(of: value, among: names)
        return names.map { $0 == chosen ? .text(chosen) : .null }
      }
      description.hasElements = false
      return .composite(name: name, element: [], description)
    case .variants(let cases) where !isOpaque:
      let leaves = cases.columns
      var description = CompositeDescription(leaves: leaves.map(\.path)) { value in
        try (value as? any Encodable).map {
          try EnumerationCase.columns(of: $0, cases: cases, keepsAllDigits: capabilities.contains(.decimals))
        }
      }
      description.opaque = Set(leaves.filter(\.isJSON).map(\.path))
      description.hasElements = false
      return .composite(name: name, element: [], description)
    case .structure, .cases, .variants, .collection, .list, .unsupported:
      return .attribute(name: name, element: [], isOpaque: true)
    }
  }
}
