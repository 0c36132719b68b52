import ErrorReporting
import Foundation
import ManagedModel
import PropertyLists

extension ModelEncoder {
  /// Adds a fetch request; `nil` if its predicate cannot be archived, or if the model has no such entity.
  mutating func encode(_ request: FetchRequestDescription) -> KeyedArchiveBuilder.Reference? {
    guard entities[request.entityName] != nil else { return nil }
    var predicate = KeyedArchiveBuilder.Reference.null
    if let format = request.predicateFormat {
      guard let tree = PredicateParser.predicate(format), let reference = builder.predicate(tree) else { return nil }
      predicate = reference
    }
    var flags: FetchRequestFlags = []
    if request.returnsDistinctResults { flags.insert(.returnsDistinctResults) }
    if request.includesSubentities { flags.insert(.includesSubentities) }
    if request.includesPropertyValues { flags.insert(.includesPropertyValues) }
    if request.returnsObjectsAsFaults { flags.insert(.returnsObjectsAsFaults) }
    // Results as dictionaries cannot include pending changes.
    if request.includesPendingChanges, request.resultType != 2 { flags.insert(.includesPendingChanges) }
    let absent = [
      "NSHavingPredicate", "NSRelationshipKeyPathsForPrefetching", "NSValuesToFetch", "NSValuesToGroupBy",
    ].map { ($0, KeyedArchiveBuilder.Field.reference(.null)) }
    return builder.add(
      .fetchRequest,
      absent + [
        ("NSAllocationType", .integer(0)), ("NSBatchSize", .integer(request.fetchBatchSize)),
        ("NSEntity", .reference(reference(to: request.entityName))),
        ("NSFetchLimit", .integer(request.fetchLimit)), ("NSFetchOffset", .integer(0)),
        ("NSFetchRequestFlags", .integer(flags.rawValue)), ("NSHasFetchRequestFlags", .flag(true)),
        ("NSPredicate", .reference(predicate)), ("NSResultType", .integer(request.resultType)),
        ("NSSortDescriptors", .reference(encode(request.sortDescriptors))),
      ])
  }

  private mutating func encode(_ descriptors: [FetchRequestDescription.Sorting]) -> KeyedArchiveBuilder.Reference {
    if descriptors.isEmpty { return .null }
    return builder.list(
      .array,
      descriptors.map { descriptor in
        let (key, selector) = (builder.string(descriptor.keyPath), builder.string(descriptor.selector))
        return builder.add(
          .sortDescriptor,
          [
            ("NSAscending", .flag(descriptor.isAscending)), ("NSKey", .reference(key)),
            ("NSReverseNullOrder", .flag(false)), ("NSSelector", .reference(selector)),
          ])
      })
  }

  /// Adds a fetch index; `nil` if its predicate or an expression cannot be archived.
  mutating func encode(_ index: FetchIndexDescription, of entity: String) -> KeyedArchiveBuilder.Reference? {
    let reference = builder.reserve()
    var predicate = KeyedArchiveBuilder.Reference.null
    if let format = index.partialIndexPredicate {
      guard let tree = PredicateParser.predicate(format), let archived = builder.predicate(tree) else {
        omit("the predicate of index \(quoted(index.name))", entity, nil)
        return nil
      }
      predicate = archived
    }
    var elements: [KeyedArchiveBuilder.Reference] = []
    for element in index.elements {
      guard let archived = encode(element, of: reference) else {
        omit("an expression of index \(quoted(index.name))", entity, nil)
        return nil
      }
      elements.append(archived)
    }
    builder.fill(
      reference, .fetchIndex,
      [
        ("NSEntity", .reference(self.reference(to: entity))),
        ("NSIndexElements", .reference(builder.list(.array, elements))),
        ("NSIndexName", .reference(builder.string(index.name))), ("NSPartialIndexPredicate", .reference(predicate)),
      ])
    return reference
  }

  private mutating func encode(
    _ element: FetchIndexDescription.Element, of index: KeyedArchiveBuilder.Reference
  ) -> KeyedArchiveBuilder.Reference? {
    var fields: [(String, KeyedArchiveBuilder.Field)] = [
      ("NSAscending", .flag(element.isAscending)), ("NSFetchIndexDescription", .reference(index)),
      ("NSFetchIndexElementType", .integer(element.kind.rawValue)),
    ]
    switch element.subject {
    case .property(let name):
      fields.append(("NSPropertyName", .reference(builder.string(name))))
    case .expression(let format):
      guard let tree = PredicateParser.expression(format), let expression = builder.expression(tree) else { return nil }
      expressionCount += 1
      let name = builder.string("expression\(expressionCount)")
      let bits: PropertyBits = [
        .always, .optional, .readOnly, .noValidation, .noUserInfo, .noVersionHashModifier,
      ]
      // 2000 is the type of object identifiers, which stand for the object itself in an index.
      let property = builder.add(
        .expressionProperty,
        [
          ("NSEntity", .reference(.null)), ("NSExpression", .reference(expression)),
          ("NSExpressionType", .integer(tree == .evaluatedObject ? Int(AttributeType.objectID.rawValue) : 0)),
          ("NSIsOptional", .flag(true)), ("NSIsReadOnly", .flag(true)), ("NSPropertyName", .reference(name)),
          ("NSRenamingIdentifier", .reference(name)), ("_P", .integer(bits.rawValue)),
        ])
      fields += [("NSIndexedProperty", .reference(property)), ("NSPropertyName", .reference(name))]
    }
    return builder.add(.fetchIndexElement, fields)
  }

  /// The keys of an attribute's validation rules, if it has any.
  mutating func validation(of attribute: AttributeDescription, _ entity: String) -> [(
    String, KeyedArchiveBuilder.Field
  )] {
    let isString = attribute.type == .string
    let isDate = attribute.type == .date
    let subject: ExpressionTree = isString ? .keyPath(of: .evaluatedObject, "length") : .evaluatedObject
    var predicates: [KeyedArchiveBuilder.Reference] = []
    var warnings: [KeyedArchiveBuilder.Reference] = []
    func add(_ tree: PredicateTree, _ warning: BinaryPropertyList.Object) -> Bool {
      guard let predicate = builder.predicate(tree) else { return false }
      predicates.append(predicate)
      warnings.append(builder.plain(warning))
      return true
    }
    // The warnings are Core Data's error codes (NSValidation…Error in CoreDataErrors.h).
    if let value = attribute.minimumValue?.tree {
      let code: Int128 = isString ? 1670 : isDate ? 1640 : 1620
      _ = add(.comparison(subject, .greaterThanOrEqual, value, .direct, []), .integer(code))
    }
    if let value = attribute.maximumValue?.tree {
      let code: Int128 = isString ? 1660 : isDate ? 1630 : 1610
      _ = add(.comparison(subject, .lessThanOrEqual, value, .direct, []), .integer(code))
    }
    if let pattern = attribute.regularExpression {
      _ = add(.comparison(.evaluatedObject, .matches, .string(pattern), .direct, []), .integer(1680))
    }
    for rule in attribute.validationRules {
      let tree = PredicateParser.predicate(rule.predicate)
      let warning = rule.message.map(BinaryPropertyList.Object.string) ?? .integer(1550)
      if tree.map({ add($0, warning) }) != true {
        omit("the validation rule \(quoted(rule.predicate))", entity, attribute.name)
      }
    }
    if predicates.isEmpty { return [] }
    return [
      ("NSValidationPredicates", .reference(builder.list(.mutableArray, predicates))),
      ("NSValidationWarnings", .reference(builder.list(.mutableArray, warnings))),
    ]
  }
}

extension AttributeValue {
  /// The value as the constant of a validation rule.
  fileprivate var tree: ExpressionTree? {
    switch self {
    case .integer(let value): .integer(value)
    case .double(let value): .real(value)
    case .date(let seconds): .date(seconds)
    case .decimal(let value):
      Int64("\(value)").map(ExpressionTree.integer) ?? Double("\(value)").map(ExpressionTree.real)
    default: nil
    }
  }
}
