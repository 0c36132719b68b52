import ManagedModel

extension FormatLowering {
  /// The meaning of an expression, for the row at the beginning of its paths.
  mutating func term(_ expression: ExpressionTree, of row: Row, _ tree: PredicateTree) throws -> Term {
    switch expression {
    case .null: return .constant(.null)
    case .boolean(let value): return .constant(.boolean(value))
    case .integer(let number): return .constant(.stored(.integer(number)))
    case .real(let number), .date(let number): return .constant(.stored(.real(number)))
    case .string(let text): return .constant(.stored(.text(text)))
    case .variable(let name):
      if let row = self.row(named: name) { return .object(row.path) }
      guard let value = variables[name] else { throw FormatError.missingVariable(name) }
      return .constant(value)
    case .evaluatedObject: return .object(row.path)
    case .keyPath(.evaluatedObject, let path):
      return try walk(ExpressionTree.components(of: path), from: row)
    case .keyPath(.variable(let name), let path):
      guard let row = self.row(named: name) else {
        throw FormatError.unsupported(part: tree.format, reason: .noSubject)
      }
      return try walk(ExpressionTree.components(of: path), from: row)
    case .keyPath(.subquery(let collection, let variable, let predicate), let path):
      guard case .objects(var many) = try subquery(of: term(collection, of: row, tree), variable, predicate, outer: row)
      else {
        throw FormatError.unsupported(part: tree.format, reason: .noSubject)
      }
      many.rest = ExpressionTree.components(of: path)
      return try self.collection(many)
    case .subquery(let collection, let variable, let predicate):
      return try subquery(of: term(collection, of: row, tree), variable, predicate, outer: row)
    case .keyPath: throw FormatError.unsupported(part: tree.format, reason: .noSubject)
    case .list(let items):
      let terms = try items.map { try term($0, of: row, tree) }
      let constants = terms.compactMap { if case .constant(let value) = $0 { value } else { nil } }
      return constants.count == terms.count ? .constant(.list(constants)) : .list(terms)
    case .function(let name, let arguments):
      return try function(name, arguments.map { try term($0, of: row, tree) }, tree)
    }
  }

  /// Follows names along to-one relationships to an attribute, an object, or a to-many relationship.
  ///
  /// - Throws: ``QueryError`` for a name that the entity does not have.
  mutating func walk(_ names: [String], from row: Row) throws -> Term {
    var row = row
    for (index, name) in names.enumerated() {
      let rest = Array(names[(index + 1)...])
      switch try entities.property(name, of: row.entity) {
      case .toOne(let relationship):
        row.path.follow(name)
        row.entity = try entities.existingEntity(relationship.destinationName)
      case .toMany(let relationship):
        return try collection(
          ToManyPath(
            owner: row.path, name: name, destination: entities.existingEntity(relationship.destinationName),
            variable: makeVariable(),
            rest: rest))
      case .attribute(let attribute):
        return try value(of: attribute, name, rest, at: row)
      }
    }
    return .object(row.path)
  }

  private func value(of attribute: StoreAttribute, _ name: String, _ rest: [String], at row: Row) throws -> Term {
    let isLength = rest.last == "length" && !attribute.leaves.contains { $0.path.dropFirst().elementsEqual(rest) }
    let element = isLength ? Array(rest.dropLast()) : rest
    let leaf = try attribute.leaf(element, of: row.entity)
    guard leaf.path.count == element.count + 1 || element.isEmpty && attribute.leaves.count == 1 else {
      throw QueryError.wrongKind(
        property: ([name] + rest).joined(separator: "."), entity: row.entity.name, expected: .attribute)
    }
    let value = FetchExpression.attribute(row.path, name: name, element: element)
    guard isLength else { return .value(value, Kind(leaf.attribute.type)) }
    guard leaf.attribute.type == .string else {
      throw QueryError.wrongKind(property: name, entity: row.entity.name, expected: .attribute)
    }
    return .value(.string(.length, [value]), .number)
  }

  /// The members of a relationship, or an aggregate of them for `@count` and similar operators.
  private mutating func collection(_ many: ToManyPath) throws -> Term {
    guard let last = many.rest.first, last.hasPrefix("@") else { return .objects(many) }
    if last == "@count", many.rest.count == 1 {
      return .value(many.count, .number)
    }
    guard let aggregate = FormatFunction.collectionOperators[last] else {
      throw FormatError.unknownFunction(last, count: 0)
    }
    var values = many
    values.rest.removeFirst()
    return try self.aggregate(aggregate, of: values, named: last)
  }

  private mutating func aggregate(
    _ aggregate: FetchExpression.Aggregate, of many: ToManyPath, named name: String
  ) throws -> Term {
    let element = try walk(many.rest, from: many.element)
    guard many.condition == nil, case .value(let value, let kind) = element,
      kind == .number || kind == .date || kind == .text && (aggregate == .minimum || aggregate == .maximum)
    else {
      throw FormatError.unsupported(
        part: ([many.name] + many.rest).joined(separator: "."), reason: .aggregateNeedsToMany(name))
    }
    return .value(
      .aggregate(aggregate, many.owner, relationship: many.name, variable: many.variable, of: value),
      aggregate == .minimum || aggregate == .maximum ? kind : .number)
  }

  private mutating func function(_ name: String, _ arguments: [Term], _ tree: PredicateTree) throws -> Term {
    let constants = arguments.compactMap { if case .constant(let value) = $0 { value } else { nil } }
    if constants.count == arguments.count { return .constant(try Value.applying(name, to: constants)) }
    if case .objects(let many)? = arguments.first, arguments.count == 1 {
      if name == "count:", many.rest.isEmpty { return .value(many.count, .number) }
      if let aggregate = FormatFunction.aggregates[name] { return try self.aggregate(aggregate, of: many, named: name) }
    }
    let values = try arguments.map { argument -> (FetchExpression, Kind) in
      switch argument {
      case .value(let value, let kind): return (value, kind)
      case .constant(.stored(let value)): return (.constant(value), value.kind ?? .number)
      default: throw FormatError.unsupported(part: tree.format, reason: .noSubject)
      }
    }
    func require(_ allowed: Kind...) throws {
      guard values.allSatisfy({ allowed.contains($0.1) }) else {
        throw FormatError.unsupported(part: tree.format, reason: .differentKinds)
      }
    }
    let operands = values.map(\.0)
    if let operation = FormatFunction.arithmetic[name], operands.count == 2 {
      try require(.number, .date)
      // SQL cuts the fraction off when it divides integers; `NSExpression` keeps it.
      let left: FetchExpression =
        operation == .divide ? .arithmetic(.multiply, operands[0], .constant(.real(1))) : operands[0]
      return .value(.arithmetic(operation, left, operands[1]), .number)
    }
    if operands.count == 1 {
      if let function = FormatFunction.ofText[name] {
        try require(.text)
        return .value(.string(function, operands), .text)
      }
      if name == "length:" {
        try require(.text)
        return .value(.string(.length, operands), .number)
      }
      if name == "abs:" {
        try require(.number)
        let isNegative = FetchExpression.comparison(.less, operands[0], .constant(.integer(0)))
        return .value(
          .conditional(isNegative, then: .negative(operands[0]), otherwise: operands[0]), .number)
      }
    }
    throw FormatError.unknownFunction(name, count: arguments.count)
  }
}

extension FormatLowering.Kind {
  fileprivate init(_ type: AttributeType) {
    self =
      switch type {
      case .integer16, .integer32, .integer64, .boolean, .float, .double, .decimal: .number
      case .date: .date
      case .string, .uri: .text
      case .uuid: .uuid
      case .binary: .bytes
      case .transformable, .undefined, .objectID, .composite: .opaque
      }
  }
}

extension StoreValue {
  /// The kind of a constant; `nil` for `NULL`, which can be compared with every kind.
  var kind: FormatLowering.Kind? {
    switch self {
    case .null: nil
    case .integer, .real: .number
    case .text: .text
    case .blob: .bytes
    }
  }
}
