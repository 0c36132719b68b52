import SwiftDiagnostics
import SwiftIfConfig
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import TestSupport
import Testing

/// What the macros say of each shape of the table, nothing less and nothing more, and what their fix-its make of it.
/// `GeneratedCodeTests` compiles and runs the shapes.
@Suite struct ModelShapeTests {
  /// The quick run leaves out most of the shapes that are accepted: `GeneratedCodeTests` compiles each of them.
  private static let rows = ModelShape.table.indices.filter { row in
    if case .works = ModelShape.table[row].outcome { FullTests.areWanted || row.isMultiple(of: 4) } else { true }
  }

  @Test(arguments: rows) func `Each shape expands, or has its messages and fix-its`(_ row: Int) {
    let shape = ModelShape.table[row]
    switch shape.outcome {
    case .works:
      // The compiler offers a subclass of a model no conformances. Here one list serves all classes of a source.
      let conformances = shape.hasSubclass ? [] : Expansion.ofRoot
      #expect(Expansion(shape.source, conformances: conformances).messages.isEmpty, "\(shape.name)")
    case .leftToCompiler: break
    case .worksInSwift5(_, let message, let fixed):
      #expect(Expansion(shape.source, languageMode: 5).messages.isEmpty, "\(shape.name)")
      check(shape, says: [message], fixed: [fixed])
    case .warned(_, let message, let fixed):
      check(shape, says: [message], fixed: fixed)
    case .refused(let messages, let fixed):
      check(shape, says: messages, fixed: fixed)
    }
  }

  private func check(_ shape: ModelShape, says messages: [String], fixed: [String]) {
    let expansion = Expansion(shape.source)
    #expect(expansion.messages == messages, "\(shape.name)")
    if messages.count == 1 { #expect(expansion.fixed == fixed, "\(shape.name)") }
  }

  @Test func `Names of shapes are unique`() {
    #expect(Set(ModelShape.table.map(\.name)).count == ModelShape.table.count)
  }

  @Test func `A compiler that does not send its settings decides about constants itself`() {
    let expansion = Expansion("@Model class A { let a: Int; init() { a = 1 } }", languageMode: nil)
    #expect(expansion.messages.isEmpty && expansion.text.contains("SwiftData._storage(for: Int.self)"))
  }
}

/// The expansion of a source by our macros.
struct Expansion {
  /// The conformances that the compiler lets a class without a model as its superclass have.
  static let ofRoot = ["Observable", "PersistentModel", "_PersistentModelRoot", "Sendable"]

  let text: String
  let messages: [String]
  /// The source after each of the fix-its.
  let fixed: [String]

  init(
    _ source: String, conformances: [String] = Expansion.ofRoot,
    languageMode: Int? = 6
  ) {
    let file = Parser.parse(source: source)
    let settings = languageMode.map {
      StaticBuildConfiguration(
        targetOSs: ["Linux"], languageVersion: VersionTuple($0), compilerVersion: VersionTuple(6, 3))
    }
    let context = BasicMacroExpansionContext(
      sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")], buildConfiguration: settings)
    let types = conformances.map { TypeSyntax(IdentifierTypeSyntax(name: .identifier($0))) }
    let model = MacroSpec(type: PersistentModelMacro.self, conformances: types)
    let persisted = MacroSpec(type: PersistedPropertyMacro.self)
    let specs: [String: MacroSpec] = [
      "Model": model,
      "Query": MacroSpec(type: QueryMacro.self),
      "SwiftData.Model": model,
      "_PersistedProperty": persisted,
      "SwiftData._PersistedProperty": persisted,
      "Attribute": MacroSpec(type: AttributePropertyMacro.self),
      "Relationship": MacroSpec(type: RelationshipPropertyMacro.self),
      "Transient": MacroSpec(type: TransientPropertyMacro.self),
      "Unique": MacroSpec(type: UniqueConstraintsMacro.self),
      "Index": MacroSpec(type: IndexMacro.self),
      "FetchedProperty": MacroSpec(type: FetchedPropertyMacro.self),
      "Composite": MacroSpec(
        type: CompositeMacro.self,
        conformances: [TypeSyntax(IdentifierTypeSyntax(name: .identifier("CompositeValue")))]),
      "ModelActor": MacroSpec(
        type: ModelActorMacro.self, conformances: [TypeSyntax(IdentifierTypeSyntax(name: .identifier("ModelActor")))]),
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
    fixed = context.diagnostics.flatMap(\.fixIts).map { fixIt in
      fixIt.changes.reduce(source) { source, change in
        guard case .replace(let old, let new) = change else { return source }
        // The macro sees the declaration apart from its file.
        let (whole, text) = (Array(source.utf8), Array(old.root.description.utf8))
        let start = whole.indices.first { whole[$0...].starts(with: text) } ?? 0
        let edited = whole[..<(start + old.position.utf8Offset)] + new.description.utf8
        return String(decoding: edited + whole[(start + old.endPosition.utf8Offset)...], as: UTF8.self)
      }
    }
  }
}
