import Foundation
import ManagedModel
import TestSupport
import Testing

@testable import CoreDataModel

@Suite("Inputs that a fuzzer found")
struct FuzzCorpusTests {
  @Test("Each is a model or an error with messages of one line, and never a trap")
  func replay() throws {
    let folder = Fixtures.packageRoot.appendingPathComponent("Tests/CoreDataModelTests/FuzzCorpus")
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    #expect(files.count >= 20)
    var outcomes: Set<Bool> = []
    for file in files {
      let bytes = try Data(contentsOf: file)
      let found: [Diagnostic]
      do throws(ModelReadingError) {
        found = try ModelParser.parse(bytes, fileName: "contents").diagnostics
        outcomes.insert(true)
      } catch {
        found = error.diagnostics
        #expect(!found.isEmpty)
        outcomes.insert(false)
      }
      for diagnostic in found {
        let text = diagnostic.description
        #expect(!text.contains(where: \.isNewline) && text.contains(" — "), "\(file.lastPathComponent)")
      }
    }
    #expect(outcomes == [true, false])
  }

  @Test("An entity that a configuration names again and again is in it once, so that its archive can be read")
  func members() throws {
    let members = String(repeating: "<memberEntity name=\"A\"/>", count: 2_000)
    let contents = "<model><entity name=\"A\"/><configuration name=\"C\">\(members)</configuration></model>"
    let model = try ModelParser.parse(Data(contents.utf8), fileName: "contents").model
    #expect(model.configurations.map(\.entityNames) == [["A"]])
  }
}
