internal import Foundation
internal import ManagedModel
internal import StoreRequests

/// The objects of a fetched property; none if the fetch fails, which is logged. Called by the getter of `@FetchedProperty`.
public func _fetchedObjects<Destination: PersistentModel>(
  of object: some PersistentModel, named name: String
) -> [Destination] {
  guard let context = object.modelContext, let property = ModelClass.of(type(of: object)).fetchedProperty(named: name)
  else { return [] }
  return context.core.logging("fetching \(type(of: object)).\(name)") {
    try context.fetchedObjects(property, of: object)
  }
}

extension ModelContext {
  /// Fetches the objects of a fetched property.
  ///
  /// - Throws: ``SwiftDataError``; `unsupportedPredicate` for a predicate that cannot be parsed.
  func fetchedObjects<Destination: PersistentModel>(
    _ property: Schema.FetchedProperty, of object: any PersistentModel
  ) throws -> [Destination] {
    let request = property.request
    var descriptor =
      try request.predicate.map { format in
        try FetchDescriptor<Destination>(fetchedBy: format, of: object)
      } ?? FetchDescriptor()
    descriptor.includePendingChanges = request.includesPendingChanges
    let isComplete = request.sortBy.isEmpty && request.includesSubentities
    if request.limit > 0, isComplete { descriptor.fetchLimit = request.limit }
    var objects = try fetch(descriptor)
    if isComplete { return objects }
    if !request.includesSubentities { objects.removeAll { type(of: $0) != Destination.self } }
    let sorted = try request.sorted(objects)
    return request.limit > 0 ? Array(sorted.prefix(request.limit)) : sorted
  }
}

extension Schema.FetchRequest {
  /// The objects in the request's order; objects that compare as equal keep their order.
  fileprivate func sorted<Model: PersistentModel>(_ objects: [Model]) throws -> [Model] {
    guard !sortBy.isEmpty else { return objects }
    let keyed = try objects.map { object in
      let evaluation = FormatEvaluation(subject: .object(object))
      return (object, try sortBy.map { try evaluation.value(.keyPath(of: .evaluatedObject, $0.path)) })
    }
    func isBefore(_ left: (Model, [FormatValue]), _ right: (Model, [FormatValue])) -> Bool {
      for (index, sort) in sortBy.enumerated() {
        let (first, second) = sort.isAscending ? (left.1[index], right.1[index]) : (right.1[index], left.1[index])
        if first.isNull != second.isNull { return first.isNull }
        if let order = sort.order(first, second), order != .orderedSame { return order == .orderedAscending }
      }
      return false
    }
    return keyed.sorted(by: isBefore).map(\.0)
  }
}

extension Schema.FetchRequest.Sort {
  fileprivate func order(_ left: FormatValue, _ right: FormatValue) -> ComparisonResult? {
    guard let first = left.text, let second = right.text else { return left.compared(to: right) }
    switch selector {
    case "caseInsensitiveCompare:": return first.caseInsensitiveCompare(second)
    case "localizedCompare:": return first.localizedCompare(second)
    case "localizedCaseInsensitiveCompare:": return first.localizedCaseInsensitiveCompare(second)
    case "localizedStandardCompare:": return StringFunctions.localizedStandardCompare(first, second)
    default: return left.compared(to: right)
    }
  }
}

extension FetchDescriptor {
  /// Parses the predicate of a fetched property: `$FETCH_SOURCE` is the object, and paths from it are bound to its values.
  fileprivate init(fetchedBy format: String, of object: any PersistentModel) throws {
    guard let tree = PredicateParser.predicate(format) else {
      throw SwiftDataError(
        .unsupportedPredicate, "the predicate of a fetched property of \(type(of: object)) is not understood")
    }
    let source = ["FETCH_SOURCE": FormatValue.object(object.persistentModelID)]
    let evaluation = FormatEvaluation(
      subject: .none, variables: source, objects: ["FETCH_SOURCE": object])
    var values = source
    let bound: PredicateTree
    do {
      bound = try tree.binding { path in
        let name = "FETCH_SOURCE.\(path)"
        values[name] = try evaluation.value(.keyPath(of: .variable("FETCH_SOURCE"), path))
        return .variable(name)
      }
    } catch let problem as FormatProblem {
      throw SwiftDataError(
        .unsupportedPredicate, "the predicate of a fetched property of \(type(of: object)): \(problem.reason)")
    }
    let variables = values
    self.init(predicate: Predicate { FormatCondition(variable: $0, tree: bound, variables: variables) })
  }
}

extension PredicateTree {
  /// The predicate with each path that begins at a variable replaced.
  fileprivate func binding(_ replace: (String) throws -> ExpressionTree) rethrows -> PredicateTree {
    switch self {
    case .value: return self
    case .and(let parts): return .and(try parts.map { try $0.binding(replace) })
    case .or(let parts): return .or(try parts.map { try $0.binding(replace) })
    case .not(let part): return .not(try part.binding(replace))
    case .comparison(let left, let relation, let right, let modifier, let options):
      return .comparison(try left.binding(replace), relation, try right.binding(replace), modifier, options)
    }
  }
}

extension ExpressionTree {
  fileprivate func binding(_ replace: (String) throws -> ExpressionTree) rethrows -> ExpressionTree {
    switch self {
    case .keyPath(.variable("FETCH_SOURCE"), let path): return try replace(path)
    case .keyPath(let base, let path): return .keyPath(of: try base.binding(replace), path)
    case .subquery(let collection, let variable, let predicate):
      return .subquery(of: try collection.binding(replace), variable: variable, try predicate.binding(replace))
    case .function(let name, let parts): return .function(name, try parts.map { try $0.binding(replace) })
    case .list(let parts): return .list(try parts.map { try $0.binding(replace) })
    default: return self
    }
  }
}
