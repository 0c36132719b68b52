import Testing

@Suite struct ModelActorExpansionTests {
  /// Whether the expansion has the words, whatever the white space between them.
  private func has(_ expansion: Expansion, _ words: String) -> Bool {
    expansion.text.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(words)
  }

  @Test func `An actor gets an executor, a container and an initializer, as visible as itself`() {
    for (access, isVisible) in [("public ", true), ("package ", true), ("private ", false), ("", false)] {
      let actor = Expansion("@ModelActor \(access)actor Importer { var count = 0 }")
      #expect(actor.messages.isEmpty)
      let prefix = isVisible ? access : ""
      #expect(has(actor, "\(prefix)nonisolated let modelExecutor: any SwiftData.ModelExecutor"))
      #expect(has(actor, "\(prefix)nonisolated let modelContainer: SwiftData.ModelContainer"))
      #expect(has(actor, "\(prefix)init(modelContainer: SwiftData.ModelContainer) {"))
      #expect(has(actor, "extension Importer: SwiftData.ModelActor {"))
    }
  }

  @Test func `An actor keeps the initializer that it declares`() {
    let own = Expansion("@ModelActor actor Importer { init(modelContainer: ModelContainer) { fatalError() } }")
    #expect(!has(own, "DefaultSerialModelExecutor"))
    let other = Expansion("@ModelActor actor Importer { let name: String; init(name: String) { fatalError() } }")
    #expect(!has(other, "DefaultSerialModelExecutor") && other.messages.isEmpty)
    let further = Expansion("@ModelActor actor Importer { init(name: String) { fatalError() } }")
    #expect(has(further, "DefaultSerialModelExecutor"))
  }

  @Test func `A type that is no actor, and a property without a value, are refused`() {
    #expect(
      Expansion("@ModelActor class A {}").messages == [
        "@ModelActor gives an actor a context of its own: it cannot stand on a class"
      ])
    #expect(
      Expansion("@ModelActor actor A { let name: String }").messages == [
        "'name' needs a value: give it one, or write an initializer that sets 'name', 'modelContainer' and 'modelExecutor'"
      ])
    #expect(
      Expansion("@ModelActor actor A { var a: Int?; var b = 1; lazy var c = 2; var d: Int { 3 } }").messages.isEmpty)
  }
}
