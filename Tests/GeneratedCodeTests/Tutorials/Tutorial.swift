import Foundation
import TestSupport
import Testing

/// A tutorial, and what has to be known to compile its code.
struct Tutorial: Sendable, CustomTestStringConvertible {
  /// The beginning of the file's name in `../shared/seeds`.
  let number: String
  /// The class whose name between `<` and `>` is lost; `nil` for Markdown.
  var lostClass: String?
  /// What else is lost, by the sample's name: texts and what restores them.
  var lostText: [String: [(lost: String, found: String)]] = [:]
  /// What the tutorial's code takes for granted.
  let world: String
  /// The number of samples that have to compile.
  let count: Int
  /// Samples that do not compile, by name: a part of the compiler's error, and the reason.
  let refused: [String: (error: String, reason: String)]

  var testDescription: String { number }

  static let folder = Fixtures.shared.appendingPathComponent("seeds")
  static let areThere = FileManager.default.fileExists(atPath: folder.path)
  static let explanation = "needs ../shared/seeds, which is not part of the repository"

  /// Whether a sample has no word of SwiftUI, Core Data or another library, and is not in the table of those that are refused.
  func mustCompile(_ sample: TutorialCode.Sample) -> Bool {
    let others =
      #/: (View|App|CoreStoreObject)\b|#Preview|@Environment|@Bindable|NSManagedObject|NSPersistent|managedObjectContext/#
    return !sample.text.contains(others) && refused[sample.name] == nil
  }

  /// The samples of a tutorial's text, with what its markup lost.
  func code(of text: String) -> [TutorialCode] {
    TutorialText(text).blocks.map { block in
      TutorialCode(block) { sample in
        for (lost, found) in lostText[sample.name] ?? [] {
          sample.text = sample.text.replacingOccurrences(of: lost, with: found)
        }
        guard let lostClass else { return }
        sample.text.replace(#/(?<name>FetchDescriptor|#Predicate|-> Predicate)(?<rest>\(| {)/#) {
          "\($0.name)<\(lostClass)>\($0.rest)"
        }
      }
    }
  }

  /// The files of some samples: one for each block, and one for what they take for granted.
  ///
  /// Each block is a namespace. A name that a block does not declare leads to the world, or to the first block that declares it.
  func files(_ code: [TutorialCode], _ isWanted: (TutorialCode.Sample) -> Bool) -> [String: String] {
    var files: [String: String] = [:]
    var declared = Set(world.matches(of: #/(?:class|struct|enum|typealias) (\w+)/#).map { String($0.1) })
    var text = "import Foundation\nimport SwiftData\n" + world + "\n"
    for block in code where block.samples.contains(where: isWanted) {
      files["Block\(block.line).swift"] = block.source(isWanted)
      for sample in block.samples where isWanted(sample) {
        guard let name = sample.typeName, declared.insert(name).inserted else { continue }
        text += "typealias \(name) = Block\(block.line).\(name)\n"
      }
    }
    files["World.swift"] = text
    return files
  }
}
