/// Turns the versions of a data model into SwiftData source, in memory.
///
/// Two stages, each a function from value to value:
///
/// 1. `Translator` decides: names, types, which side declares an inverse, which step needs a hand. It yields structured
///    declarations and notes on what they leave out.
/// 2. `Renderer` prints declarations as formatted Swift text.
///
/// Equal input gives equal bytes. Reading models and writing files are the caller's work.
public struct ModelGenerator: Sendable {
  /// The choices that a user has.
  public var options: Options

  /// A generator with these choices.
  public init(options: Options = Options()) {
    self.options = options
  }

  /// Source for all versions, the migration plan between them, and aliases for the current version's classes.
  ///
  /// Time and memory are linear in the size of the models.
  /// - Throws: ``GeneratorError`` if a model contradicts itself so that no classes can stand for it.
  package func generate(_ bundle: ModelVersions) throws(GeneratorError) -> GeneratorOutput {
    let translation = try BundleTranslator(bundle, options: options).translate()
    let renderer = SwiftRenderer(access: options.access, flags: options.flags)
    return GeneratorOutput(files: translation.files.map(renderer.render), notes: translation.notes)
  }

  /// What may be chosen about the generated source.
  public struct Options: Sendable, Hashable {
    /// Whose API the source is written for.
    public var dialect: Dialect
    /// Who sees the generated declarations.
    public var access: AccessLevel

    /// Our own dialect and internal access unless stated otherwise.
    public init(dialect: Dialect = .open, access: AccessLevel = .internal) {
      self.dialect = dialect
      self.access = access
    }
  }

  /// Whose API the generated source is written for.
  public enum Dialect: String, Sendable, Hashable, CaseIterable {
    /// This package's module: what Apple's API cannot spell is written with its extensions, so that nothing is lost.
    case open
    /// Apple's API alone; what it cannot spell is left out, with a warning for each item.
    case apple
  }

  /// Who sees the generated declarations.
  public enum AccessLevel: String, Sendable, Hashable, CaseIterable {
    /// The module that holds the files; no modifier is written.
    case `internal`
    /// The package that holds the files.
    case package
    /// Everybody.
    case `public`
  }
}

extension ModelGenerator.Options {
  /// What the command line says for these options, where they are not the usual ones.
  fileprivate var flags: String {
    (dialect == .open ? "" : " --dialect \(dialect.rawValue)")
      + (access == .internal ? "" : " --access \(access.rawValue)")
  }
}
