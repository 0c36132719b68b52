import CoreDataModel
import Foundation
import ManagedModel
import TestSupport
import Testing

@testable import ModelDiagram

@Suite("Diagrams: the sample model") struct GoldenDiagramTests {
  /// The pictures stand beside the tests; `RECORD_GOLDEN=1` writes them anew, and then the test fails.
  @Test("The sample model's pictures are the recorded ones", arguments: DiagramFormat.allCases)
  func golden(format: DiagramFormat) throws {
    let bundle = try ModelBundle.read(
      at: Fixtures.packageRoot.appendingPathComponent("SampleModels/Library.xcdatamodeld"))
    let version = try #require(bundle.current)
    let text = EntityDiagram(version.model, title: "\(bundle.name): \(version.name)").text(in: format)
    let file = Fixtures.packageRoot.appendingPathComponent(
      "Tests/ModelDiagramTests/Goldens/Library.\(format.rawValue)")
    if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] != nil {
      try Data(text.utf8).write(to: file)
      Issue.record("the picture was recorded: look at it, then run without RECORD_GOLDEN")
    }
    let golden = try String(contentsOf: file, encoding: .utf8)
    let difference = zip(golden.split(separator: "\n"), text.split(separator: "\n")).first { $0 != $1 }
    #expect(golden == text, "first difference: \(String(describing: difference))")
  }
}
