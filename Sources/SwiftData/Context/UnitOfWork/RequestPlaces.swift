internal import StoreRequests

/// The places that a request reads: the fetched row, rows at the end of its paths, and members of its relationships.
///
/// If these paths reach no pending object from a row, the row has the same result in the store as in memory. All rows up
/// to the first pending object are equal in both.
struct RequestPlaces {
  /// The stored names of the properties that are read at each place.
  private(set) var properties: [FetchPath: Set<String>] = [:]
  /// The relationships whose members the inner variables range over.
  private var quantifiers: [FetchVariable: Quantifier] = [:]

  private struct Quantifier {
    let owner: FetchPath
    let relationship: String
  }

  init(_ expressions: [FetchExpression]) {
    for expression in expressions { note(expression) }
  }

  /// All places except the fetched row.
  var others: [FetchPath] {
    func spelling(_ path: FetchPath) -> String {
      path.steps.map { "\($0.castTo ?? "") \($0.relationship)" }.joined(separator: ".") + " \(path.castTo ?? "")"
    }
    return properties.keys.filter { $0 != FetchPath() }.sorted {
      ($0.variable.number, $0.steps.count, spelling($0)) < ($1.variable.number, $1.steps.count, spelling($1))
    }
  }

  private mutating func note(_ expression: FetchExpression) {
    switch expression {
    case .constant, .objectConstant, .groupCount: break
    case .attribute(let path, let name, _): note(path, reading: name)
    case .object(let path), .isKind(let path, _), .objectMembership(let path, _): note(path)
    case .count(let owner, let relationship, let variable, let condition),
      .exists(let owner, let relationship, let variable, let condition):
      note(members: relationship, of: owner, variable)
      if let condition { note(condition) }
    case .aggregate(_, let owner, let relationship, let variable, let operand):
      note(members: relationship, of: owner, variable)
      note(operand)
    case .groupAggregate(_, let operand, _): note(operand)
    case .comparison(_, let left, let right), .arithmetic(_, let left, let right), .coalesce(let left, let right),
      .contains(let left, let right):
      note(left)
      note(right)
    case .and(let parts), .or(let parts), .string(_, let parts): for part in parts { note(part) }
    case .not(let part), .isNull(let part), .negative(let part), .isInteger(let part, _), .membership(let part, _),
      .elementCount(let part):
      note(part)
    case .conditional(let condition, let then, let otherwise):
      note(condition)
      note(then)
      note(otherwise)
    }
  }

  private mutating func note(_ path: FetchPath, reading name: String? = nil) {
    for (index, step) in path.steps.enumerated() {
      properties[path.prefix(index), default: []].insert(step.relationship)
    }
    let place = path.prefix(path.steps.count)
    if let name { properties[place, default: []].insert(name) } else { properties[place, default: []].formUnion([]) }
  }

  private mutating func note(members relationship: String, of owner: FetchPath, _ variable: FetchVariable) {
    note(owner, reading: relationship)
    quantifiers[variable] = Quantifier(owner: owner, relationship: relationship)
    note(FetchPath(variable))
  }

  /// A condition that one of some objects is at a place; for members, that one member is one of the objects.
  func condition(thatAnyOf keys: [ObjectKey], standsAt place: FetchPath) -> FetchExpression {
    var condition = FetchExpression.objectMembership(place, keys)
    var variable = place.variable
    while let quantifier = quantifiers[variable] {
      condition = .exists(
        quantifier.owner, relationship: quantifier.relationship, variable: variable, condition: condition)
      variable = quantifier.owner.variable
    }
    return condition
  }

  /// The tag of the entity at a place; `nil` if it is unknown.
  func entity(at place: FetchPath, from root: Int32, _ core: ContextCore) -> Int32? {
    var entity: Int32? = root
    func follow(_ name: String, of cast: String?) {
      if let cast {
        entity = core.store(root).number(of: cast).map { EntityTag.make(entity: $0, besides: root) }
      }
      let properties = entity.flatMap { core.binding($0) }?.properties
      entity = properties?.first { $0.name == name }?.relationship?.destination
    }
    if let quantifier = quantifiers[place.variable] {
      entity = self.entity(at: quantifier.owner, from: root, core)
      follow(quantifier.relationship, of: quantifier.owner.castTo)
    }
    for step in place.steps { follow(step.relationship, of: step.castTo) }
    return entity
  }
}
