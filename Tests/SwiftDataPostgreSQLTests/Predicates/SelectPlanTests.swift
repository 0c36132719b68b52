import Foundation
import ManagedModel
import PostgreSQL
import StoreRequests
import TestSupport
import Testing

@testable import PostgreSQLStore

/// The SQL of a fetch is printed once for each shape of request, and serves every request of that shape. No server is needed.
@Suite("Statements of fetches from a server") struct SelectPlanTests {
  private static let model = ModelDescription(entities: [
    .init(
      name: "Item",
      properties: [
        .attribute("name", .string), .attribute("count", .integer64), .attribute("price", .decimal),
        .attribute("size", .double), .attribute("made", .date), .attribute("code", .uuid), .attribute("photo", .binary),
        .attribute("isNew", .boolean), .attribute("page", .uri),
      ])
  ])

  private func attribute(_ name: String) -> FetchExpression { .attribute(FetchPath(), name: name, element: []) }

  private func layout(_ model: ModelDescription = model) throws -> StoreLayout {
    try LayoutBuilder.layout(model, schema: "s", rule: .snakeCase)
  }

  /// Compares the statement for a request with the one that is printed for it.
  private func check(
    _ request: FetchRequest, _ plans: SelectPlans, _ layout: StoreLayout, _ kind: SelectPlans.Kind = .rows,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let results = [
      Result { try plans.statement(kind, request, in: layout) },
      Result { try SelectStatement(kind, request, in: layout) },
    ]
    let texts = results.map { result in
      switch result {
      case .success(let statement): "\(statement.sql)\n\(statement.parameters)\n\(statement.isExact)"
      case .failure(let error): "\(error)"
      }
    }
    #expect(texts[0] == texts[1], "\(request)", sourceLocation: sourceLocation)
  }

  @Test("Requests that differ in constants are printed once, whatever the type of the attribute")
  func printedOncePerShape() throws {
    let layout = try layout()
    let plans = SelectPlans()
    let values: [(String, (Int) -> StoreValue)] = [
      ("name", { .text("Mrs. \($0) O'Hara") }), ("count", { .integer(Int64($0) * 1_000_000_000) }),
      ("price", { .text("\($0).25") }), ("size", { .real(Double($0) + 0.5) }), ("made", { .real(Double($0) * 86_400) }),
      ("code", { .blob(Data(repeating: UInt8($0), count: 16)) }), ("photo", { .blob(Data(repeating: 7, count: $0)) }),
      ("page", { .text("https://example.org/\($0)") }),
    ]
    for (index, (name, value)) in values.enumerated() {
      for number in 2..<20 {
        let tests: [FetchExpression] = [
          .comparison(.equal, attribute(name), .constant(value(number))),
          .membership(attribute(name), [value(number), value(number + 1)]),
        ]
        for test in tests {
          let request = FetchRequest(entityName: "Item", predicate: test, limit: number, offset: number + 1)
          try check(request, plans, layout)
          try check(request, plans, layout, .count)
        }
      }
      #expect(plans.printedCount == 4 * (index + 1), "\(name)")
    }
  }

  @Test("A search for plain text, and a known object, are printed once")
  func textsAndObjects() throws {
    let layout = try layout()
    let plans = SelectPlans()
    for number in 0..<20 {
      let key = ObjectKey(entity: 1, key: Int64(number))
      try check(
        FetchRequest(
          entityName: "Item", predicate: .string(.starts, [attribute("name"), .constant(.text("item \(number)"))])),
        plans, layout)
      try check(
        FetchRequest(entityName: "Item", predicate: .comparison(.equal, .object(FetchPath()), .objectConstant(key))),
        plans, layout)
    }
    #expect(plans.printedCount == 2)
  }

  @Test("A constant on which the text depends has a statement of its own")
  func valuesThatDecide() throws {
    let layout = try layout()
    let plans = SelectPlans()
    let values: [StoreValue] = [
      .null, .integer(0), .integer(1), .integer(2), .real(0), .real(1.5), .real(.infinity), .real(.nan), .real(1e300),
      .text(""), .text("a"), .text("a\u{0}"), .text("\u{7}"), .text("Kelvin"), .text("caf\u{E9}"), .text("12.5"),
      .blob(Data()), .blob(Data(repeating: 1, count: 16)),
    ]
    for name in ["name", "count", "price", "size", "made", "code", "photo", "isNew", "page"] {
      for value in values {
        for predicate: FetchExpression in [
          .comparison(.equal, attribute(name), .constant(value)), .comparison(.less, attribute(name), .constant(value)),
          .membership(attribute(name), [value, .integer(5)]), .coalesce(attribute(name), .constant(value)),
          .comparison(.greater, .arithmetic(.add, attribute(name), .constant(value)), .constant(.integer(7))),
          .string(.contains, [attribute(name), .constant(value)]),
          .string(.matches, [attribute(name), .constant(value)]), .string(.like, [.constant(value), attribute(name)]),
          .string(.localizedCompare, [attribute(name), .constant(value)]),
          .string(.contains, [.string(.foldedCase, [attribute(name)]), .constant(value)]),
          .comparison(.equal, .string(.lowercased, [attribute(name)]), .constant(value)),
        ] {
          try check(FetchRequest(entityName: "Item", predicate: predicate), plans, layout)
        }
      }
    }
    for limit in [nil, -1, 0, 1, 7] {
      for offset in [nil, -1, 0, 1, 7] {
        let request = FetchRequest(
          entityName: "Item", predicate: .comparison(.equal, attribute("count"), .constant(.integer(1))), limit: limit,
          offset: offset)
        try check(request, plans, layout)
        try check(request, plans, layout, .count)
      }
    }
    for (one, other) in [(3, 3), (3, 4), (5, 5)] as [(Int64, Int64)] {
      try check(
        FetchRequest(
          entityName: "Item",
          predicate: .comparison(
            .equal, .objectConstant(ObjectKey(entity: 1, key: one)), .objectConstant(ObjectKey(entity: 1, key: other)))),
        plans, layout)
    }
  }

  @Test("Random requests with other constants: the kept statement is the one that would be printed")
  func randomRequests() throws {
    var reused = 0
    for seed in 1...(FullTests.areWanted ? 200 : 12) as ClosedRange<UInt64> {
      var numbers = SplitMix(seed: seed)
      let model = FetchRandomModel(&numbers)
      let layout = try layout(model.model)
      var random = FetchRandomExpressions(model, numbers) { name in
        let entity = layout.entities.entity(named: name)
        return (1...5).map { ObjectKey(entity: entity?.number ?? 0, key: $0) }
      }
      let plans = SelectPlans()
      for _ in 0..<60 {
        let request = random.request()
        for _ in 0..<4 {
          let variation = request.withOtherConstants(&numbers)
          let before = plans.printedCount
          try check(variation, plans, layout)
          if plans.printedCount == before { reused += 1 }
        }
      }
    }
    #expect(reused > 300)
  }

  @Test("The statements of known objects and of related objects are printed once")
  func objectsByKey() throws {
    let layout = try layout()
    let item = try layout.entities.existingEntity("Item")
    let plans = SelectPlans()
    let columns = [ColumnSelection(entityName: "Item", propertyName: "name")]
    for _ in 0..<3 {
      let kept = try plans.objects(of: item, columns: columns, in: layout).selecting([1, 2])
      #expect(kept.sql == (try SelectStatement.objects(of: item, columns: columns, in: layout).sql))
      #expect(kept.parameters == [.integers([1, 2])])
    }
    _ = try plans.objects(of: item, columns: [], in: layout)
    #expect(plans.printedCount == 2)
  }

  @Test("The cache forgets, and stays right, after many shapes")
  func limit() throws {
    let layout = try layout()
    let plans = SelectPlans()
    for number in 1...(SelectPlans.limit + 20) {
      let request = FetchRequest(
        entityName: "Item", predicate: .comparison(.equal, attribute("name"), .constant(.text("caf\u{E9} \(number)"))))
      try check(request, plans, layout)
      try check(request, plans, layout)
    }
    #expect(plans.printedCount == SelectPlans.limit + 20)
  }
}
