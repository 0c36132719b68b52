import CoreDataModel
import Foundation
import ManagedModel
import TestSupport
import Testing

@testable import ModelDiagram

@Suite("Diagrams: the sample model") struct GoldenDiagramTests {
  @Test("The sample model's pictures are the recorded ones", arguments: DiagramFormat.allCases)
  func golden(format: DiagramFormat) throws {
    let bundle = try ModelBundle.read(
      at: Fixtures.packageRoot.appendingPathComponent("SampleModels/Library.xcdatamodeld"))
    let version = try #require(bundle.current)
    let text = EntityDiagram(version.model, title: "\(bundle.name): \(version.name)").text(in: format)
    try Golden("ModelDiagramTests/Goldens/Library.\(format.rawValue)").compare(text)
  }
}
