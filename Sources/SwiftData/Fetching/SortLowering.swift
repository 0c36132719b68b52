internal import Foundation
internal import FoundationAdditions
internal import StoreRequests

/// One sort descriptor, translated for the store.
struct SortLowering {
  /// `nil` if the store cannot sort so: by a computed value, or by an order that only the type defines.
  let term: SortTerm?

  /// - Throws: ``UnsupportedExpression`` for a descriptor without a key path, which memory cannot sort either.
  init<Model: PersistentModel>(_ sort: SortDescriptor<Model>, resolver: any ModelResolver) throws {
    guard let keyPath = sort.comparedKeyPath else {
      throw UnsupportedExpression(sketch: "SortDescriptor", reason: "it was not made from a key path")
    }
    let valueType = fullyUnwrapped(type(of: keyPath).valueType)
    let collation: SortTerm.Collation? =
      switch valueType {
      case let type as any SortKey.Type: type.collation
      default: isOrderedAsStored(valueType) ? .binary : nil
      }
    let origin = SortKeyPaths.origin(of: keyPath)
    let route = try? resolver.route(of: origin, from: Model.self)
    guard let collation,
      let expression = route.flatMap({ Self.value(at: $0) }) ?? Self.count(origin, of: Model.self, resolver)
    else {
      term = nil
      return
    }
    term = SortTerm(expression: expression, isAscending: sort.order == .forward, collation: collation)
  }

  /// The column at the end of a route through to-one relationships.
  private static func value(at route: [KeyPathStep]) -> FetchExpression? {
    var path = FetchPath()
    for (index, step) in route.enumerated() {
      switch step {
      case .toOne(let name, _): path.follow(name)
      case .attribute(let name, let element, isOpaque: false) where index == route.count - 1:
        return .attribute(path, name: name, element: element)
      case .attribute, .composite, .toMany, .identifier: return nil
      }
    }
    return nil
  }

  /// The number of members, for the key path of a to-many relationship with `count` at its end; `nil` for other key paths.
  private static func count(
    _ keyPath: AnyKeyPath, of type: any PersistentModel.Type, _ resolver: any ModelResolver
  ) -> FetchExpression? {
    guard Swift.type(of: keyPath).valueType == Int.self else { return nil }
    func count<Destination: PersistentModel>(_ type: Destination.Type) -> AnyKeyPath { \[Destination].count }
    for property in ModelClass.of(type).properties {
      guard let relationship = property.relationshipType, relationship.isToMany,
        property.keyPath.appending(path: count(relationship.destination)) == keyPath,
        case .toMany(let name, _)? = try? resolver.route(of: property.keyPath, from: type).last
      else { continue }
      // Predicates number their variables from 1.
      return .count(FetchPath(), relationship: name, variable: FetchVariable(-1 - property.index), condition: nil)
    }
    return nil
  }
}

/// A type without its optionals.
private func fullyUnwrapped(_ type: Any.Type) -> Any.Type {
  (type as? any OptionalType.Type).map { fullyUnwrapped($0.wrappedType) } ?? type
}
