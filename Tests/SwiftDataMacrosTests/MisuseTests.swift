import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import Testing

@testable import SwiftDataMacros

/// Sources that are wrong, and what is said of them: nothing less, nothing more.
@Suite struct MisuseTests {
  static let table: [(source: String, messages: [String])] = [
    ("@Model struct A { var a = 1 }", ["@Model makes persistent objects: it stands on a class, not on a struct"]),
    ("@Model enum A { case a }", ["@Model makes persistent objects: it stands on a class, not on an enum"]),
    ("@Model actor A { var a = 1 }", ["@Model makes persistent objects: it stands on a class, not on an actor"]),
    (
      "@Model class A<T> { var a = 1; init() {} }",
      ["a generic class cannot be a model: a store has one entity per class"]
    ),
    (
      "@Model class A { var a = 1 }",
      ["@Model requires an initializer be provided for 'A': write init(…) that takes the values of a new object"]
    ),
    ("@Model(isAbstract: true) class A { var a = 1 }", []),
    (
      "@Model class A { @FetchedProperty var a = 1; init() {} }",
      ["a @FetchedProperty is a plain 'var' of type '[Model]' without value: write its type"]
    ),
    (
      "@Composite class A { var a = 1 }",
      ["@Composite says how the parts of a value are stored: it stands on a structure, not on a class"]
    ),
    (
      "@Model class A { let a: Int; init() { a = 1 } }",
      [
        "a constant cannot be persisted, since reading an object gives it its value: make it 'var', or 'private(set) var'"
      ]
    ),
    ("@Model class A { static let a = 1; @Transient let b = 1; init() {} }", []),
    (
      "@Model class A { lazy var a = 1; init() {} }",
      ["a lazy property cannot be persisted: give it a default value, or mark it @Transient"]
    ),
    (
      "@Model class A { weak var a: A?; init() {} }",
      ["a weak or unowned reference cannot be persisted: a relationship is a plain property"]
    ),
    (
      "@Model class A { var a = 1 { didSet {} }; init() {} }",
      [
        "willSet and didSet do not work on a persisted property: use a computed property beside it, or mark it @Transient"
      ]
    ),
    ("@Model class A { @Transient var a = 1 { didSet {} }; init() {} }", []),
    (
      "@Model class A { var a = 1, b = 2; init() {} }",
      ["persisted properties are declared one by one: write a 'var' for each"]
    ),
    (
      "@Model class A { var (a, b) = (1, 2); init() {} }",
      ["a persisted property needs a name of its own: declare the parts of the tuple one by one"]
    ),
    (
      "@Model class A { var description: String; init() {} }",
      [
        "'description' is the name of a method of Core Data's objects: choose another, and keep a stored name with @Attribute(originalName:)"
      ]
    ),
    (
      "@Model class A { @Relationship var a: Set<B>; init() {} }",
      ["a to-many relationship is an array: write '[Model]' in place of 'Set<Model>'"]
    ),
    (
      "@Model class A { @Relationship @Attribute var a: B?; init() {} }",
      ["a property is an attribute or a relationship: keep one of @Attribute and @Relationship"]
    ),
    (
      "@Model class A { @Transient var a: Int; init() {} }",
      ["a @Transient property needs a default value, which an object has when it is read from the store"]
    ),
    ("@Model class A { @Transient var a: Int?; var b: Int { 1 }; init() {} }", []),
  ]

  @Test(arguments: table.indices) func `Misuse is said in one sentence`(_ row: Int) {
    let (source, messages) = Self.table[row]
    #expect(Expansion(source).messages == messages, "\(source)")
  }
}

/// The expansion of a source by our macros.
struct Expansion {
  let text: String
  let messages: [String]

  init(
    _ source: String, conformances: [String] = ["Observable", "PersistentModel", "_PersistentModelRoot", "Sendable"]
  ) {
    let file = Parser.parse(source: source)
    let context = BasicMacroExpansionContext(
      sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")])
    let types = conformances.map { TypeSyntax(IdentifierTypeSyntax(name: .identifier($0))) }
    let specs: [String: MacroSpec] = [
      "Model": MacroSpec(type: PersistentModelMacro.self, conformances: types),
      "_PersistedProperty": MacroSpec(type: PersistedPropertyMacro.self),
      "SwiftData._PersistedProperty": MacroSpec(type: PersistedPropertyMacro.self),
      "Attribute": MacroSpec(type: AttributePropertyMacro.self),
      "Relationship": MacroSpec(type: RelationshipPropertyMacro.self),
      "Transient": MacroSpec(type: TransientPropertyMacro.self),
      "Unique": MacroSpec(type: UniqueConstraintsMacro.self),
      "Index": MacroSpec(type: IndexMacro.self),
      "FetchedProperty": MacroSpec(type: FetchedPropertyMacro.self),
      "Composite": MacroSpec(
        type: CompositeMacro.self,
        conformances: [TypeSyntax(IdentifierTypeSyntax(name: .identifier("CompositeValue")))]),
    ]
    func expanded(_ file: SourceFileSyntax) -> String {
      file.expand(
        macroSpecs: specs,
        contextGenerator: {
          BasicMacroExpansionContext(sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
        },
        indentationWidth: .spaces(2)
      ).description
    }
    // An attribute with its module's name is one that only the compiler finds.
    let members = expanded(file).replacing("@SwiftData._PersistedProperty", with: "@_PersistedProperty")
    text = expanded(Parser.parse(source: members.replacing(")var", with: ") var")))
    messages = context.diagnostics.map(\.message)
  }
}
