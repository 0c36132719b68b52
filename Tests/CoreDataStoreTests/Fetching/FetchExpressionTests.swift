import Foundation
import StoreRequests
import TestSupport
import Testing

@testable import CoreDataStore

/// Each kind of expression: SQL selects the very rows for which evaluation in memory says yes.
@Suite struct FetchExpressionTests {
  private static let one = FetchVariable(1)
  private static let two = FetchVariable(2)

  private static func attribute(
    _ name: String, _ relationships: [String] = [], _ variable: FetchVariable = .root, cast: String? = nil,
    element: [String] = []
  ) -> FetchExpression {
    .attribute(
      FetchPath(variable, relationships: relationships, castTo: cast), name: name, element: element)
  }

  private static func int(_ value: Int64) -> FetchExpression { .constant(.integer(value)) }
  private static func text(_ value: String) -> FetchExpression { .constant(.text(value)) }
  private static let comparisons: [FetchExpression.Comparison] = [
    .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
  ]

  /// Conditions over people, each of which is also tried negated, doubly negated, and in pairs.
  private static func conditions(_ world: FetchTestWorld) -> [FetchExpression] {
    var all: [FetchExpression] = []
    let people = world.all("Person")
    let houses = world.all("House")
    // Comparisons of each type with a constant, with `NULL`, with another property, and along paths.
    let operands: [(FetchExpression, [FetchExpression])] = [
      (attribute("age"), [int(8), int(-5), .constant(.null), attribute("age", ["boss"]), .constant(.real(8))]),
      (attribute("score"), [.constant(.real(1.5)), int(3), .constant(.null), attribute("price")]),
      (attribute("active"), [int(1), int(0), .constant(.null)]),
      (attribute("birthday"), [.constant(.real(2001)), int(4002), .constant(.null)]),
      (attribute("price"), [.constant(.real(2.5)), int(5), .constant(.null)]),
      (
        attribute("name"),
        [text("Ann"), text(""), text("a\u{0}b"), text("O'Hara; DROP TABLE"), attribute("name", ["boss"])]
      ),
      (attribute("address", element: ["street"]), [text("Street 1"), .constant(.null)]),
      (attribute("address", ["boss"], element: ["number"]), [int(2), attribute("address", element: ["number"])]),
      (attribute("title", ["home"]), [text("House 2"), .constant(.null), attribute("title", ["boss", "home"])]),
      (attribute("salary", cast: "Employee"), [int(700), .constant(.null)]),
      (attribute("name", ["boss"], cast: "Employee"), [text("ann"), .constant(.null)]),
    ]
    for (left, rights) in operands {
      for right in rights {
        for comparison in comparisons { all.append(.comparison(comparison, left, right)) }
      }
      all += [.isNull(left), .comparison(.equal, .constant(.null), left)]
    }
    let blobs: [StoreValue] = [.blob(Data(repeating: 3, count: 16)), .blob(Data("photo 1".utf8))]
    for name in ["tag", "photo"] {
      for blob in blobs {
        all += [
          .comparison(.equal, attribute(name), .constant(blob)),
          .comparison(.notEqual, attribute(name), .constant(blob)),
        ]
      }
      all.append(.isNull(attribute(name)))
    }
    // Truth of a value.
    all += [attribute("active"), .constant(.integer(1)), .constant(.integer(0)), .constant(.null), attribute("age")]
    all += [.coalesce(attribute("active"), int(1)), .coalesce(attribute("active", ["boss"]), attribute("active"))]
    // Identity.
    for object in [people[3], people[8]] {
      all.append(.comparison(.equal, .object(FetchPath()), .objectConstant(object.identity)))
      for comparison in [FetchExpression.Comparison.equal, .notEqual] {
        all.append(
          .comparison(comparison, .object(FetchPath(relationships: ["boss"])), .objectConstant(object.identity)))
        all.append(
          .comparison(
            comparison, .object(FetchPath(relationships: ["boss", "boss"])), .objectConstant(object.identity)))
        all.append(
          .comparison(comparison, .object(FetchPath(relationships: ["home"])), .objectConstant(object.identity)))
        all.append(.comparison(comparison, .object(FetchPath(relationships: ["boss"])), .objectConstant(nil)))
      }
    }
    all += [
      .comparison(
        .equal, .object(FetchPath(relationships: ["home"])), .object(FetchPath(relationships: ["boss", "home"]))),
      .comparison(.notEqual, .object(FetchPath(relationships: ["home"])), .object(FetchPath(relationships: ["boss"]))),
      .comparison(.equal, .object(FetchPath(relationships: ["home"])), .object(FetchPath(relationships: ["boss"]))),
      .comparison(.equal, .objectConstant(people[0].identity), .objectConstant(people[0].identity)),
      .isNull(.object(FetchPath(relationships: ["home"]))), .isNull(.object(FetchPath(castTo: "Employee"))),
      .objectMembership(FetchPath(), people.prefix(5).map(\.identity)),
      .objectMembership(FetchPath(relationships: ["home"]), houses.prefix(2).map(\.identity)),
      .objectMembership(FetchPath(relationships: ["home"]), people.prefix(2).map(\.identity)),
      .objectMembership(FetchPath(), []),
    ]
    // Membership.
    all += [
      .membership(attribute("age"), [.integer(8), .integer(21), .integer(34)]), .membership(attribute("age"), []),
      .membership(attribute("age"), [.null]), .membership(attribute("age"), [.integer(8), .null]),
      .membership(attribute("name"), [.text("Ann"), .text("Zoë"), .null]),
      .membership(attribute("title", ["home"]), [.text("House 1"), .text("House 3")]),
      .membership(attribute("tag"), [.blob(Data(repeating: 1, count: 16))]),
      .membership(attribute("age"), (0..<20_000).map { .integer($0 * 2) }),
      .membership(attribute("name"), (0..<9_000).map { .text("x\($0)") } + [.text("O'Hara; DROP TABLE")]),
      .membership(.arithmetic(.add, attribute("age"), int(1)), [.integer(9), .null]),
      // The Kelvin sign is canonically equivalent to a letter of ASCII.
      .membership(text("K"), [.text("\u{212A}"), .text("x")]), .membership(text("\u{212A}"), [.text("K")]),
    ]
    // Quantifiers over every kind of to-many relationship.
    let relationships: [([String], String, FetchExpression)] = [
      ([], "reports", .comparison(.greater, attribute("age", [], one), int(10))),
      (["boss"], "reports", .comparison(.equal, attribute("name", [], one), attribute("name"))),
      ([], "friends", .comparison(.notEqual, attribute("age", [], one), int(8))),
      ([], "clubs", .comparison(.equal, attribute("title", [], one), text("Club 1"))),
      ([], "notes", .comparison(.less, attribute("size", [], one), int(5))),
      (["home"], "residents", .isKind(FetchPath(one), entityName: "Employee")),
      (["home"], "workers", .comparison(.greater, attribute("salary", [], one), int(1000))),
      ([], "reports", .comparison(.equal, attribute("title", ["home"], one), attribute("title", ["home"]))),
      (
        [], "clubs",
        .exists(
          FetchPath(one), relationship: "members", variable: two,
          condition: .comparison(.equal, .object(FetchPath(two)), .object(FetchPath(relationships: ["boss"]))))
      ),
    ]
    for (path, name, condition) in relationships {
      let path = FetchPath(relationships: path)
      for condition in [condition, nil, .not(condition)] as [FetchExpression?] {
        all.append(.exists(path, relationship: name, variable: one, condition: condition))
        for comparison in [FetchExpression.Comparison.equal, .greater] {
          let count = FetchExpression.count(path, relationship: name, variable: one, condition: condition)
          all.append(.comparison(comparison, count, int(1)))
        }
      }
    }
    for aggregate in [FetchExpression.Aggregate.minimum, .maximum, .sum, .average] {
      for (name, property) in [("reports", "age"), ("notes", "size"), ("friends", "score"), ("clubs", "title")]
      where property != "title" {
        let value = FetchExpression.aggregate(
          aggregate, FetchPath(), relationship: name, variable: one, of: attribute(property, [], one))
        all += [.comparison(.greater, value, int(6)), .comparison(.equal, value, int(0)), .isNull(value)]
      }
      // Values of the owner, chosen by what every member is: SQLite finds no column of the member in them.
      for test in [FetchExpression.isNull(.object(FetchPath(one))), .isKind(FetchPath(one), entityName: "Note")] {
        let chosen = FetchExpression.conditional(test, then: int(1), otherwise: attribute("age"))
        all.append(
          .comparison(
            .greater, .aggregate(aggregate, FetchPath(), relationship: "notes", variable: one, of: chosen), int(6)))
      }
    }
    // Arithmetic: whole numbers, numbers that are kept as whole ones although they are not, and division by zero.
    for operation in [FetchExpression.Arithmetic.add, .subtract, .multiply, .divide, .remainder] {
      all.append(.comparison(.greater, .arithmetic(operation, attribute("age"), int(3)), int(5)))
      all.append(.comparison(.less, .arithmetic(operation, int(40), attribute("age")), int(4)))
      if operation != .remainder {
        all.append(.comparison(.equal, .arithmetic(operation, attribute("price"), int(2)), .constant(.real(2.5))))
        all.append(.comparison(.lessOrEqual, .arithmetic(operation, attribute("score"), attribute("age")), int(3)))
      }
    }
    all.append(.comparison(.less, .negative(attribute("age")), int(-20)))
    // Conditional values.
    all += [
      .conditional(
        .isNull(attribute("age")), then: int(1), otherwise: .comparison(.greater, attribute("age"), int(20))),
      .comparison(
        .equal, .conditional(attribute("active"), then: attribute("age"), otherwise: attribute("age", ["boss"])), int(8)
      ),
      .comparison(.equal, .comparison(.greater, attribute("age"), int(8)), int(1)),
      .comparison(.equal, .not(.comparison(.greater, attribute("age"), int(8))), int(0)),
      .coalesce(.comparison(.greater, attribute("age"), int(8)), int(1)),
      .comparison(.equal, .and([attribute("active"), .isNull(attribute("age"))]), int(0)),
      .and([]), .or([]),
    ]
    // Strings.
    for part in ["e", "É", "E", "", "ann", "ße", "SS", "\u{0}", "%", "_"] {
      for function in [StringFunction.contains, .starts, .ends, .localizedStandardContains] {
        all.append(.string(function, [attribute("name"), text(part)]))
      }
      for function in [StringFunction.caseInsensitiveCompare, .localizedCompare, .localizedStandardCompare] {
        all.append(.comparison(.less, .string(function, [attribute("name"), text(part)]), int(0)))
        all.append(.comparison(.equal, .string(function, [attribute("name"), attribute("name", ["boss"])]), int(0)))
      }
    }
    all += [
      .string(.isEmpty, [attribute("name")]), .comparison(.greater, .string(.count, [attribute("name")]), int(4)),
      .comparison(.equal, .string(.lowercased, [attribute("name")]), text("ann")),
      .comparison(.equal, .string(.uppercased, [attribute("name")]), text("STRASSE")),
      .string(.contains, [attribute("name"), .constant(.null)]),
    ]
    // Kinds.
    all += [
      .isKind(FetchPath(), entityName: "Employee"), .isKind(FetchPath(), entityName: "Person"),
      .isKind(FetchPath(relationships: ["boss"]), entityName: "Employee"),
      .isKind(FetchPath(relationships: ["boss"]), entityName: "House"),
    ]
    return all
  }

  private func keys(_ world: FetchTestWorld, _ predicate: FetchExpression, entity: String = "Person") throws -> [Int64]
  {
    try world.store.keys(FetchRequest(entityName: entity, predicate: predicate)).map(\.key).sorted()
  }

  @Test func everyConditionSelectsWhatItSelectsInMemory() throws {
    let world = try FetchTestWorld()
    let people = world.all("Person")
    var selected: Set<Int> = []
    for condition in Self.conditions(world) {
      let forms = [condition, .not(condition), .not(.not(condition))]
      for expression in forms.prefix(FullTests.areWanted ? 3 : 2) {
        let expected = people.filter { FetchTestEvaluator(world, $0).isTrue(expression) }.map(\.key)
        let found = try keys(world, expression)
        #expect(found == expected, "\(String(describing: expression).prefix(600))")
        selected.insert(found.count)
        #expect(try world.store.count(FetchRequest(entityName: "Person", predicate: expression)) == expected.count)
      }
    }
    #expect(selected.count > 20, "the conditions have to be wrapping")
  }

  @Test func everyPairOfConditionsSelectsWhatItSelectsInMemory() throws {
    let world = try FetchTestWorld()
    let people = world.all("Person")
    let conditions = Self.conditions(world).filter {
      if case .membership(_, let values) = $0 { values.count < 100 } else { true }
    }
    var generator = SplitMix(seed: 3)
    for _ in 0..<(FullTests.areWanted ? 2_000 : 200) {
      let some = (0..<3).compactMap { _ in conditions.randomElement(using: &generator) }
      for expression: FetchExpression in [
        .and(some), .or(some), .not(.and(some)), .not(.or(some)),
        .and([some[0], .not(.or([some[1], .not(some[2])]))]),
        .conditional(some[0], then: some[1], otherwise: some[2]),
      ] {
        let expected = people.filter { FetchTestEvaluator(world, $0).isTrue(expression) }.map(\.key)
        #expect(try keys(world, expression) == expected, "\(expression)")
      }
    }
  }

  @Test func anExpressionAndItsNegationNeverBothSelectARow() throws {
    let world = try FetchTestWorld()
    let all = world.all("Person").map(\.key)
    for condition in Self.conditions(world) {
      #expect(try (keys(world, condition) + keys(world, .not(condition))).sorted() == all)
    }
  }

  @Test func deepAndLongExpressionsAreBounded() throws {
    let world = try FetchTestWorld()
    let leaf = FetchExpression.comparison(.equal, Self.attribute("age"), Self.int(8))
    let long = FetchExpression.or((0..<5_000).map { .comparison(.equal, Self.attribute("age"), Self.int(Int64($0))) })
    #expect(try !keys(world, long).isEmpty)
    // A chain of && as a predicate builds it is deep only to the left.
    let chain = (0..<200).reduce(leaf) { chain, _ in .and([chain, leaf]) }
    #expect(try keys(world, chain) == keys(world, leaf))
    let deep = (0..<1_000).reduce(Self.attribute("age")) { chain, _ in .arithmetic(.add, chain, Self.int(1)) }
    #expect(throws: QueryError.tooDeep(limit: 80)) { try keys(world, .isNull(deep)) }
    let nearly = (0..<70).reduce(Self.attribute("age")) { chain, _ in .arithmetic(.add, chain, Self.int(1)) }
    #expect(throws: Never.self) { try keys(world, .comparison(.greater, nearly, Self.int(1))) }
    let conditional = (0..<60).reduce(leaf) { inner, _ in .conditional(inner, then: leaf, otherwise: leaf) }
    #expect(throws: QueryError.tooDeep(limit: 80)) { try keys(world, .not(conditional)) }

  }

  @Test func wrongNamesAreToldWithTheNearestOne() throws {
    let world = try FetchTestWorld()
    #expect(throws: QueryError.unknownProperty(name: "nane", entity: "Person", nearest: "name")) {
      try keys(world, .isNull(Self.attribute("nane")))
    }
    #expect(throws: QueryError.unknownEntity(name: "Persn", nearest: "Person")) {
      try world.store.count(FetchRequest(entityName: "Persn"))
    }
    #expect(throws: QueryError.wrongKind(property: "name", entity: "Person", expected: .toOne)) {
      try keys(world, .isNull(Self.attribute("x", ["name"])))
    }
    #expect(throws: QueryError.wrongKind(property: "address", entity: "Person", expected: .compositeElement)) {
      try keys(world, .isNull(Self.attribute("address")))
    }
    #expect(throws: QueryError.unknownVariable(9)) {
      try keys(world, .isNull(Self.attribute("name", [], FetchVariable(9))))
    }
    #expect(throws: QueryError.identitiesHaveNoOrder) {
      try keys(world, .comparison(.less, .object(FetchPath()), .objectConstant(nil)))
    }
    #expect("\(QueryError.unknownEntity(name: "Persn", nearest: "Person"))".contains("did you mean “Person”"))
  }
}
