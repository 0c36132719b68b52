import Foundation
import TestSupport
import Testing

@Suite("generate-models --diagram", .enabled(if: GenerateModelsTool.url != nil, "needs the built generate-models"))
struct DiagramTests {
  static let library = GenerateModelsTool.library

  @Test("Each format is printed for the current version", arguments: ["mermaid", "dot", "svg"])
  func formats(format: String) throws {
    let result = try GenerateModelsTool.run(Self.library, "--diagram", format)
    #expect(result.status == 0)
    let golden = Fixtures.packageRoot.appendingPathComponent("Tests/ModelDiagramTests/Goldens/Library.\(format)")
    #expect(try result.output == String(contentsOf: golden, encoding: .utf8))
  }

  @Test("--versions chooses the version, and one only") func versions() throws {
    let result = try GenerateModelsTool.run(Self.library, "--diagram", "svg", "--versions", "V1")
    #expect(result.output.contains("<title>Library</title>"))
    #expect(result.output.contains(">Borrower</text>"))
    let several = try GenerateModelsTool.run(Self.library, "--diagram", "svg", "--versions", "V1,V2")
    #expect(several.status == 2)
    #expect(several.errors.contains("a diagram shows one version, and --versions chose 2 — choose one"))
  }

  @Test("The picture goes to a file where one is named") func output() throws {
    let folder = try OutputFolder()
    try folder.write("", to: "old.svg")
    let file = folder.file("picture.svg")
    let result = try GenerateModelsTool.run(Self.library, "--diagram", "svg", "--output", file.path)
    #expect(result.status == 0)
    #expect(result.output.isEmpty)
    #expect(try folder.text("picture.svg").hasPrefix("<svg "))
    #expect(folder.names == ["old.svg", "picture.svg"])
    let lost = try GenerateModelsTool.run(
      Self.library, "--diagram", "svg", "--output", folder.file("none/picture.svg").path)
    #expect(lost.status == 2)
    #expect(lost.errors.contains("picture.svg:1: error: the file cannot be written"))
  }

  @Test("A Mermaid diagram that is too long for its hosts is printed with a warning") func size() throws {
    let folder = try OutputFolder()
    let attributes = (0..<2_000).map {
      "<attribute name=\"someAttribute\($0)\" optional=\"YES\" attributeType=\"String\"/>"
    }
    let bundle = try folder.bundle("<model><entity name=\"A\">\(attributes.joined())</entity></model>")
    let result = try GenerateModelsTool.run(bundle, "--diagram", "mermaid")
    #expect(result.status == 0)
    #expect(result.output.utf16.count > 50_000)
    #expect(result.errors.contains("warning: the diagram is longer than the 50000 characters"))
    #expect(try GenerateModelsTool.run(bundle, "--diagram", "svg").errors.isEmpty)
  }
}
