internal import Foundation
internal import ManagedModel
internal import StoreRequests

extension Schema.Attribute {
  /// Adds the rules, the derivation and the user info that the options state.
  func lower(optionsInto lowered: inout AttributeDescription) {
    for option in options {
      switch option.kind {
      case .derived(let expression, let filter):
        lowered.derivation = .init(expression: expression, filteringPredicate: filter)
        lowered.isReadOnly = true
      case .externalRecord: lowered.isStoredInExternalRecord = true
      case .userInfo(let userInfo): lowered.userInfo = userInfo.mapValues { $0.lowered() }
      case .minimum(let value): lowered.minimumValue = value.lowered(for: lowered.type)
      case .maximum(let value): lowered.maximumValue = value.lowered(for: lowered.type)
      case .length(let minimum, let maximum):
        lowered.minimumValue = minimum.map { .integer(Int64($0)) }
        lowered.maximumValue = maximum.map { .integer(Int64($0)) }
      case .matches(let pattern): lowered.regularExpression = pattern
      case .rule(let format, let message):
        lowered.validationRules.append(.init(predicate: format, message: message))
      default: break
      }
    }
  }
}

extension RuleValue {
  /// The bound as the model states it for an attribute of the given type.
  func lowered(for type: AttributeType) -> AttributeValue {
    switch (self, type) {
    case (.integer(let value), .double), (.integer(let value), .float): .double(Double(value))
    case (.integer(let value), .decimal): .decimal(Decimal(value))
    case (.double(let value), .decimal): .decimal(Decimal(string: "\(value)") ?? Decimal(value))
    case (.integer(let value), _): .integer(value)
    case (.double(let value), _): .double(value)
    case (.decimal(let value), _): .decimal(value)
    case (.date(let value), _): .date(value.timeIntervalSinceReferenceDate)
    }
  }
}

extension Schema.UserInfoValue {
  func lowered() -> UserInfoValue {
    switch self {
    case .string(let text): .string(text)
    case .integer(let number): .integer(number)
    case .real(let number): .real(number)
    case .boolean(let flag): .boolean(flag)
    case .date(let date): .date(date.timeIntervalSinceReferenceDate)
    case .data(let data): .data(data)
    case .array(let values): .array(values.map { $0.lowered() })
    case .dictionary(let values): .dictionary(values.mapValues { $0.lowered() })
    }
  }
}

extension Schema.FetchRequest {
  func lowered() -> FetchRequestDescription {
    FetchRequestDescription(
      name: name, entityName: entityName, predicateFormat: predicate,
      sortDescriptors: sortBy.map { .init(keyPath: $0.path, isAscending: $0.isAscending, selector: $0.selector) },
      fetchLimit: limit, fetchBatchSize: batchSize,
      includesSubentities: includesSubentities, includesPropertyValues: includesPropertyValues,
      includesPendingChanges: includesPendingChanges, returnsObjectsAsFaults: returnsObjectsAsFaults,
      returnsDistinctResults: returnsDistinctResults, resultType: result.rawValue)
  }
}

extension Schema.FetchedProperty {
  func lowered() -> FetchedPropertyDescription {
    FetchedPropertyDescription(
      name: name, isOptional: isOptional, fetchRequest: request.lowered(),
      userInfo: userInfo.mapValues { $0.lowered() })
  }
}

extension DeclaredIndex {
  /// The indexes of an entity under their own names, or under the names that SwiftData gives them (CD-4).
  ///
  /// Such a name joins the names of the properties. If two different indexes get one name (`ab`, and `a` with `b`), or names that
  /// differ in the case of letters only, the second gets a number. The order of declarations does not count.
  static func lowered(_ indexes: [DeclaredIndex]) -> [FetchIndexDescription] {
    var claims = NameClaims(reserved: Set(indexes.compactMap { $0.name?.lowercased() }), isCaseSensitive: false)
    var names: [DeclaredIndex: String] = [:]
    let unnamed = Set(indexes.filter { $0.name == nil })
    for index in unnamed.sorted(by: { $0.names.lexicographicallyPrecedes($1.names) }) {
      names[index] = claims.claim(index.derivedName)
    }
    return indexes.map { $0.lowered(name: $0.name ?? names[$0] ?? $0.derivedName) }
  }

  private var derivedName: String {
    "SwiftDataIndexOn\(elements.contains(where: \.isRegion) ? "RTree" : "Binary")\(names.joined())"
  }

  private func lowered(name: String) -> FetchIndexDescription {
    FetchIndexDescription(
      name: name,
      elements: elements.map { element in
        FetchIndexDescription.Element(
          subject: element.isExpression ? .expression(element.subject) : .property(element.subject),
          kind: element.isRegion ? .rTree : .binary, isAscending: element.isAscending)
      },
      partialIndexPredicate: predicate)
  }
}

extension FetchIndexDescription {
  /// The properties of an ascending binary index of all rows; `nil` for any other index.
  ///
  /// Such an index of one property marks its attribute as indexed. One of several properties also stands in the model
  /// in the form used before 2017, as in SwiftData's own stores and in compiled models.
  var properties: [String]? {
    var names: [String] = []
    for element in elements {
      guard case .property(let name) = element.subject, element.kind == .binary, element.isAscending else {
        return nil
      }
      names.append(name)
    }
    return partialIndexPredicate == nil ? names : nil
  }

  var onlyProperty: String? { properties.flatMap { $0.count == 1 ? $0[0] : nil } }
}
