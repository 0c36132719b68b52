import CoreDataModel
import Foundation
import ModelGenerator
import ToolConsole

/// The model to read, and which of its versions are asked for.
struct ModelSource {
  var path: String
  var selection = VersionSelection()

  /// Reads the model and leaves the chosen versions in it; the reader's warnings are reported.
  /// - Throws: ``Failure`` if the model cannot be read, or has not the versions asked for.
  func read(reporting: Bool = true) throws -> ModelInput {
    let url = URL(fileURLWithPath: path)
    var input = try Progress.shared.during("reading \(url.lastPathComponent)") { try ModelInput.read(url) }
    let chosen = try selection.indices(in: input.versions, of: url)
    if chosen.count < input.versions.versions.count { input.select(chosen) }
    if reporting { Console.report(input.diagnostics) }
    return input
  }

  func generate(_ input: ModelInput, options: ModelGenerator.Options) throws -> ModelInput.Generated {
    try Progress.shared.during("generating \(input.versions.versions.count) versions") {
      try input.generate(with: ModelGenerator(options: options))
    }
  }
}

extension ModelInput {
  /// Leaves some versions in the model, and the diagnostics that are not about the others.
  mutating func select(_ indices: [Int]) {
    let rest = versions.versions.indices.filter { !indices.contains($0) }.map { versions.versions[$0].name }
    let chosen = indices.compactMap { locations[versions.versions[$0].name]?.file }
    let files = Set(rest.compactMap { locations[$0]?.file }).subtracting(chosen)
    diagnostics.removeAll { files.contains($0.file) }
    versions = versions.selecting(indices)
  }
}
