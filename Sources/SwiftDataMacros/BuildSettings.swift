import SwiftIfConfig
import SwiftSyntax
import SwiftSyntaxMacros

/// The settings of the compilation that decide which properties exist and which of them can be persisted.
struct BuildSettings {
  private let configuration: (any BuildConfiguration)?

  /// Reads the settings from the compiler's message. Compilers before 6.3 do not send them.
  init(_ context: some MacroExpansionContext) { configuration = context.buildConfiguration }

  /// Whether a macro may add accessors to a `let`: the Swift 5 language mode warns, the Swift 6 mode rejects them.
  ///
  /// A compiler that does not send its settings rejects them itself.
  var allowsAccessorsOnConstants: Bool { configuration.map { $0.languageVersion < VersionTuple(6) } ?? true }

  /// The branch of `#if` that is compiled; of conditions that a macro cannot decide (`canImport`) every branch may be.
  func mayBeActive(_ branch: IfConfigClauseSyntax, of branches: IfConfigDeclSyntax) -> Bool {
    guard let configuration else { return true }
    let (active, diagnostics) = branches.activeClause(in: configuration)
    return !diagnostics.isEmpty || active?.id == branch.id
  }
}
