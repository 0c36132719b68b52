import Testing

@Suite struct QueryExpansionTests {
  private func squeezed(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }

  @Test func `A query makes a getter and a stored query beside the property`() {
    let type = Expansion("struct S { @Query(sort: \\Book.title) private var books: [Book] }")
    #expect(type.messages.isEmpty)
    let text = squeezed(type.text)
    #expect(text.contains("get { _books.wrappedValue }"), "\(text)")
    #expect(
      text.contains("private var _books: SwiftData.Query<[Book]._QueryElement, [Book]> = .init(sort: \\Book.title)"),
      "\(text)")
  }

  @Test func `The stored query of a property that is not private is internal`() {
    let type = Expansion("public struct S { @Query public var books: SectionedResults<Book, String> }")
    let text = squeezed(type.text)
    #expect(text.contains(" var _books: SwiftData.Query<SectionedResults<Book, String>._QueryElement,"), "\(text)")
    #expect(!text.contains("public var _books"))
  }

  @Test(arguments: ["var books = []", "var books: [Book] = []"])
  func `A query stands on a plain variable with a type`(_ property: String) {
    let type = Expansion("struct S { @Query \(property) }")
    #expect(type.messages.contains { $0.contains("a @Query is a plain 'var'") }, "\(type.messages)")
  }

  @Test(arguments: [
    "func f() { @Query var books: [Book] }", "init() { @Query(sort: \\Book.title) var books: [Book] }",
    "var f: Int { get { @Query var books: [Book]; return books.count } }",
    "let f = { @Query var books: [Book] }",
    "subscript(i: Int) -> Int { @Query var books: [Book]; return i }", "func f() { if true { @Query var books } }",
  ])
  func `A query on a local variable is refused with what to do, and adds no variable`(_ member: String) {
    for text in ["struct S { \(member) }", "class A { func g() { struct S { \(member) } } }"] {
      let type = Expansion(text)
      #expect(type.messages.count == 1, "\(type.messages)")
      #expect(type.messages.allSatisfy { $0.contains("make it a property of a type") }, "\(type.messages)")
      #expect(!type.text.contains("_books"), "\(type.text)")
    }
  }

  @Test func `A property of a type in a function may be a query`() {
    let type = Expansion("func f() { struct S { @Query var books: [Book] } }")
    #expect(type.messages.isEmpty && type.text.contains("_books.wrappedValue"), "\(type.text)")
  }

  @Test(arguments: ["@Observable", "@Observation.Observable"])
  func `A query in an observable class wants to be ignored by the observation, behind its own attribute`(_ mark: String)
  {
    for attributes in ["@Query", "@ObservationIgnored @Query", "@Observation.ObservationIgnored @Query"] {
      let type = Expansion("\(mark) class A { \(attributes) private var books: [Book] }")
      #expect(type.messages.count == 1, "\(type.messages)")
      #expect(type.messages.allSatisfy { $0.contains("write '@Query @ObservationIgnored var …'") }, "\(type.messages)")
      #expect(
        type.fixed == ["\(mark) class A { @Query @ObservationIgnored private var books: [Book] }"], "\(type.fixed)")
    }
    for property in ["@Query @ObservationIgnored var books: [Book]", "@Query static var books: [Book]"] {
      let type = Expansion("\(mark) class A { \(property) }")
      #expect(type.messages.isEmpty && type.text.contains("_books.wrappedValue"), "\(type.messages)")
    }
    #expect(Expansion("\(mark) class A { struct S { @Query var books: [Book] } }").messages.isEmpty)
  }
}
