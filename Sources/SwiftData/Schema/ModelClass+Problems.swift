extension ModelClass {
  /// The problems of the class's own properties.
  var problems: [SchemaProblem] {
    var problems: [SchemaProblem] = []
    var names: Set<String> = Set(superclass?.properties.map(\.persistentName) ?? [])
    for property in ownProperties {
      if !names.insert(property.persistentName).inserted {
        problems.append(.duplicateName(class: className, name: property.persistentName))
      }
      if property.relationshipType != nil {
        let minimum = property.relationship?.minimumModelCount ?? 0
        let maximum = property.relationship?.maximumModelCount ?? 0
        // Apple's own models have negative maxima. They mean no bound, as 0 does, but are hashed as they are (VH-6).
        if minimum < 0 || (maximum > 0 && minimum > maximum) {
          problems.append(.wrongCount(class: className, property: property.name))
        }
        // In Core Data's models a relationship is to-one exactly if its largest count is 1.
        if property.isToMany, maximum == 1 {
          problems.append(.singleMember(class: className, property: property.name))
        }
      } else if property.relationship != nil {
        problems.append(
          .notARelationship(class: className, property: property.name, type: "\(property.valueType)"))
      } else if !(property.attribute?.options.contains(where: \.isOpaque) ?? false), !property.isTransient,
        case .unsupported(let reason) = AttributeLayout.of(property.valueType).shape
      {
        problems.append(
          .unsupportedType(
            class: className, property: property.name, type: "\(property.valueType)", reason: reason))
      }
      if property.relationshipType == nil, !property.isTransient, !property.canMakeValue {
        problems.append(
          .noDefault(class: className, property: property.name, type: "\(property.valueType)"))
      }
      if let reason = AttributeRules(property)?.problem {
        problems.append(.wrongRule(class: className, property: property.name, reason: reason))
      }
    }
    return problems
  }
}

extension ModelClass.Property {
  /// Whether a getter can return a value for a row without one: a declared default, `nil`, or the type's zero.
  fileprivate var canMakeValue: Bool {
    func hasZero<Value>(_ type: Value.Type) -> Bool { zero(type) != nil }
    return defaultValue() != nil || hasZero(valueType)
  }
}

extension ModelClass {
  /// Why an index cannot name a property; `nil` if it can.
  func problem(ofIndexed name: String) -> String? {
    guard let property = property(stored: name), property.relationshipType == nil,
      property.attribute?.options.contains(where: \.isOpaque) != true
    else { return nil }
    switch AttributeLayout.of(property.valueType).shape {
    case .column, .rawValue, .singleValue, .collection, .list, .unsupported: return nil
    case .cases, .variants:
      return "an index names '\(name)', whose cases have a column each: "
        + "give the enumeration raw values, which are in one column, or leave the index out."
    case .structure(let leaves):
      let element = ([name] + (leaves.first?.path ?? [])).joined(separator: ".")
      return "an index names '\(name)', whose elements have a column each: name its elements, such as '\(element)'."
    }
  }
}
