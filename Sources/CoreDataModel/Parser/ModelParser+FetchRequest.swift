import ManagedModel

extension ModelParser {
  /// Reads a `fetchRequest` element: a template of the model, or the request of a fetched property.
  ///
  /// An absent flag has the value of a new `NSFetchRequest`. Compiled models of known source show that Xcode's compiler
  /// archives this value.
  mutating func fetchRequest(_ element: XMLElement, owner: String? = nil) -> FetchRequestDescription? {
    guard let name = name(of: element, in: owner) else { return nil }
    guard let entity = text("entity", of: element) else {
      report(
        .error, element.line, "\(describe(element))\(owner.map { " of \($0)" } ?? "") names no entity",
        "choose the entity it fetches")
      return nil
    }
    var request = FetchRequestDescription(name: name, entityName: entity)
    request.predicateFormat = text("predicateString", of: element)
    request.fetchLimit = count("fetchLimit", of: element, default: 0)
    request.fetchBatchSize = count("fetchBatchSize", of: element, default: 0)
    request.includesSubentities = flag("includeSubentities", of: element, default: true)
    request.includesPropertyValues = flag("includePropertyValues", of: element, default: true)
    request.includesPendingChanges = flag("includesPendingChanges", of: element, default: true)
    request.returnsObjectsAsFaults = flag("returnObjectsAsFaults", of: element, default: true)
    request.returnsDistinctResults = flag("returnDistinctResults", of: element)
    request.resultType = count("resultType", of: element, default: 0)
    return request
  }

  /// Reads a `fetchedProperty` element with its fetch request.
  mutating func fetchedProperty(_ element: XMLElement, owner: String) -> FetchedPropertyDescription? {
    guard let name = name(of: element, in: owner) else { return nil }
    let place = "\(describe(element)) of \(owner)"
    guard let requestElement = element.children.first(where: { $0.name == "fetchRequest" }) else {
      report(.error, element.line, "\(place) has no fetch request", "choose what it fetches, or remove it")
      return nil
    }
    guard let request = fetchRequest(requestElement, owner: place) else { return nil }
    return FetchedPropertyDescription(
      name: name, isOptional: flag("optional", of: element), fetchRequest: request, userInfo: userInfo(of: element))
  }
}
