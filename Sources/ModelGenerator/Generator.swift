/// Turns the versions of a data model into SwiftData source, in memory.
///
/// The work has two stages, each a function from value to value:
///
/// 1. `Translator` decides on names and types, on the side that declares an inverse, and on the stages that need code
/// by hand. It returns structured declarations, and notes on what they leave out.
/// 2. `Renderer` prints declarations as formatted Swift text.
///
/// Equal input gives equal bytes. The caller reads models and writes files.
package struct ModelGenerator: Sendable {
  /// The user's choices.
  package var options: Options

  /// Makes a generator with these choices.
  package init(options: Options = Options()) {
    self.options = options
  }

  /// Generates source for all versions, the migration plan between them, and aliases for the current version's classes.
  ///
  /// Time and memory are linear in the size of the models.
  /// - Throws: ``GeneratorError`` if a model contradicts itself and no classes can represent it.
  package func generate(_ bundle: ModelVersions) throws(GeneratorError) -> GeneratorOutput {
    render(try translate(bundle))
  }

  /// Decides what is generated: the first stage.
  func translate(_ bundle: ModelVersions) throws(GeneratorError) -> Translation {
    try BundleTranslator(bundle, options: options).translate()
  }

  /// Prints the declarations: the second stage.
  func render(_ translation: Translation) -> GeneratorOutput {
    let renderer = SwiftRenderer(access: options.access, flags: options.flags)
    return GeneratorOutput(files: translation.files.map(renderer.render), notes: translation.notes)
  }

  /// The choices about the generated source.
  package struct Options: Sendable, Hashable {
    /// The API that the source uses.
    package var dialect: Dialect
    /// The access level of the generated declarations.
    package var access: AccessLevel

    /// By default, the source uses this package's module and has internal access.
    package init(dialect: Dialect = .open, access: AccessLevel = .internal) {
      self.dialect = dialect
      self.access = access
    }
  }

  /// The API that the generated source uses.
  package enum Dialect: String, Sendable, Hashable, CaseIterable {
    /// This package's module. Its extensions express what Apple's API cannot, so that nothing is lost.
    case open
    /// Apple's API alone. The source leaves out what this API cannot express, with a note or a warning for each item.
    case apple
  }

  /// The access level of the generated declarations.
  package enum AccessLevel: String, Sendable, Hashable, CaseIterable {
    /// Visible in the module that holds the files; the source has no access modifier.
    case `internal`
    /// Visible in the package that holds the files.
    case package
    /// Visible everywhere.
    case `public`
  }
}

extension ModelGenerator.Options {
  /// The command-line flags for the options that differ from the defaults.
  fileprivate var flags: String {
    (dialect == .open ? "" : " --dialect \(dialect.rawValue)")
      + (access == .internal ? "" : " --access \(access.rawValue)")
  }
}
