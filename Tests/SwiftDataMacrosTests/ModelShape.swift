/// A way to write a model class, and what becomes of it. ``ModelShape/table`` has all of them, the only list in the tests.
///
/// Shapes that work are expanded, compiled in every language mode and run; `GeneratedCodeTests` reads this file through a
/// symbolic link for that. Shapes that are refused have their messages, and their source after each fix-it, which compiles.
struct ModelShape: Sendable {
  let name: String
  let source: String
  let outcome: Outcome

  enum Outcome: Sendable {
    /// It compiles; the statements run against a store and call `expect`.
    case works(_ check: String = "", on: String = "")
    /// It works in the Swift 5 language mode only; the Swift 6 mode has a message and the source after its fix-it.
    case worksInSwift5(_ check: String, message: String, fixed: String)
    /// It works with a warning; each fix-it makes a source that compiles without. The statements run in the Swift 5 language mode.
    case warned(_ check: String, message: String, fixed: [String])
    /// The macro says why not, or what is in vain; each fix-it makes a source that compiles.
    case refused(messages: [String], fixed: [String])
    /// The macro leaves it to the compiler, which explains it at the declaration.
    case leftToCompiler(_ message: String)

    static func refused(_ messages: String..., fixed: [String] = []) -> Outcome {
      .refused(messages: messages, fixed: fixed)
    }
  }

  init(_ name: String, _ source: String, _ outcome: Outcome) {
    self.name = name
    self.source = source
    self.outcome = outcome
  }

  var hasSubclass: Bool { source.contains(/class \w+: [A-Z]/) }
}
