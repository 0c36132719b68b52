internal import CoreDataStore
internal import Foundation

/// One sort descriptor as the store has it.
struct SortLowering {
  /// `nil` if the store cannot sort like that: by something computed, or in an order of the type's own.
  let term: SortTerm?

  /// - Throws: ``UnsupportedExpression`` for what not even memory can be asked for.
  init<Model: PersistentModel>(_ sort: SortDescriptor<Model>, resolver: any ModelResolver) throws {
    guard let keyPath = sort.keyPath else {
      throw UnsupportedExpression(sketch: "SortDescriptor", reason: "it was not made from a key path")
    }
    let valueType = unwrapped(type(of: keyPath).valueType)
    let collation: SortTerm.Collation? =
      switch valueType {
      case let type as any SortKey.Type: type.collation
      default: isOrderedAsStored(valueType) ? .binary : nil
      }
    guard let collation, let route = try? resolver.route(of: SortKeyPaths.origin(of: keyPath), from: Model.self),
      let expression = Self.value(at: route)
    else {
      term = nil
      return
    }
    term = SortTerm(expression: expression, isAscending: sort.order == .forward, collation: collation)
  }

  /// The column that a route leads to through to-one relationships.
  private static func value(at route: [KeyPathStep]) -> FetchExpression? {
    var path = FetchPath()
    for (index, step) in route.enumerated() {
      switch step {
      case .toOne(let name, _): path.relationships.append(name)
      case .attribute(let name, let element, isOpaque: false) where index == route.count - 1:
        return .attribute(path, name: name, element: element)
      case .attribute, .composite, .toMany, .identifier: return nil
      }
    }
    return nil
  }
}

/// A type without its optionals.
private func unwrapped(_ type: Any.Type) -> Any.Type {
  (type as? any OptionalType.Type).map { unwrapped($0.wrappedType) } ?? type
}
