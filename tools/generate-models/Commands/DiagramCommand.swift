import Foundation
import ManagedModel
import ModelDiagram
import ModelGenerator
import ToolConsole

/// Draws one version of a model.
struct DiagramCommand {
  var source: ModelSource
  var output: DocumentOutput
  var format: DiagramFormat

  /// - Throws: ``Failure`` if the input is wrong, if several versions were chosen, or if the output cannot be written.
  func run() throws {
    let input = try source.read()
    let versions = input.versions
    guard versions.versions.count == 1 else {
      throw Failure(
        input.place,
        "a diagram shows one version, and --versions chose \(versions.versions.count)", remedy: "choose one")
    }
    let version = versions.versions[versions.currentIndex]
    let title = version.name == versions.name ? version.name : "\(versions.name): \(version.name)"
    let text = Progress.shared.during("drawing \(version.model.entities.count) entities") {
      EntityDiagram(version.model, title: title).text(in: format)
    }
    try output.write(Data(text.utf8))
    if format == .mermaid, text.utf16.count > Self.largestMermaidText { Console.report([sizeWarning(input.place)]) }
  }

  /// The length of text that Mermaid draws unless its host allows more (`maxTextSize`).
  private static let largestMermaidText = 50_000

  private func sizeWarning(_ place: ModelPlace) -> Message {
    Message(
      severity: .warning, file: place.text, line: place.line,
      problem: "the diagram is longer than the \(Self.largestMermaidText) characters that Mermaid draws on GitHub",
      remedy: "use --diagram svg")
  }
}
