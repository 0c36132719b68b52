extension ModelShape {
  /// Whether the shape itself compiles without errors only in the Swift 5 language mode: in the other one, warnings are errors.
  private var worksInSwift5Only: Bool {
    switch outcome {
    case .worksInSwift5, .warned: true
    case .works, .refused, .leftToCompiler: false
    }
  }

  /// A program of shapes that compile, each in a name space of its own, which runs their checks.
  ///
  /// - Parameter step: 1 for all shapes, 2 for every second one, and so on; those that Swift 5 alone accepts are all there.
  static func program(inSwift5Mode: Bool, step: Int = 1) -> String {
    var declarations: [String] = []
    var calls: [String] = []
    for (number, shape) in table.enumerated() where number.isMultiple(of: step) || shape.worksInSwift5Only {
      switch shape.outcome {
      case .works(let check, let actor):
        declarations.append(shape.space("Shape\(number)", shape.source, check, on: actor))
        calls.append(shape.call(of: number))
      case .worksInSwift5(let check, _, let fixed):
        declarations.append(shape.space("Shape\(number)", inSwift5Mode ? shape.source : fixed, check))
        calls.append(shape.call(of: number))
      case .warned(let check, _, _) where inSwift5Mode:
        declarations.append(shape.space("Shape\(number)", shape.source, check))
        calls.append(shape.call(of: number))
      case .refused(_, let fixed), .warned(_, _, let fixed):
        for (other, source) in fixed.enumerated() {
          declarations.append(shape.space("Shape\(number)Fixed\(other)", source, ""))
        }
      case .leftToCompiler: break
      }
    }
    return """
      import Foundation
      import SwiftData

      nonisolated(unsafe) var failures = 0

      nonisolated func expect(_ condition: Bool, _ words: String = "", shape: String = #fileID, line: Int = #line) {
        if !condition { failures += 1; print("\\(shape):\\(line): \\(words)") }
      }

      /// Saves an object and gives it as another context reads it.
      nonisolated func reread<Model: PersistentModel>(_ object: Model) throws -> Model {
        let container = try ModelContainer(for: Model.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        context.insert(object)
        try context.save()
        let found = try ModelContext(container).fetch(FetchDescriptor<Model>())
        guard let only = found.first, found.count == 1 else { throw Failure.count(found.count) }
        return only
      }

      enum Failure: Error { case count(Int) }

      \(declarations.joined(separator: "\n\n"))

      @main enum Program {
        static func main() async throws {
          \(calls.joined(separator: "\n    "))
          print(failures == 0 ? "all shapes work" : "\\(failures) failures")
        }
      }

      """
  }

  /// A source of the shapes that the macro leaves to the compiler; it does not compile.
  static var programOfShapesLeftToCompiler: String {
    let declarations = table.enumerated().compactMap { number, shape in
      if case .leftToCompiler = shape.outcome { shape.space("Shape\(number)", shape.source, "") } else { nil }
    }
    return "import Foundation\nimport SwiftData\n\n\(declarations.joined(separator: "\n\n"))\n"
  }

  private func call(of number: Int) -> String {
    """
    do { try await Shape\(number).check() } catch { expect(false, "\(name.replacing("\"", with: "'")): \\(error)") }
    """
  }

  private func space(_ space: String, _ source: String, _ check: String, on actor: String = "") -> String {
    """
    // \(name)
    enum \(space) {
    #sourceLocation(file: "\(name.replacing("\"", with: "'"))", line: 1)
    \(source)
    \(actor) static func check() async throws {
    \(check)
    }
    #sourceLocation()
    }
    """
  }
}

extension String {
  fileprivate func replacing(_ character: Character, with other: Character) -> String {
    String(map { $0 == character ? other : $0 })
  }
}
