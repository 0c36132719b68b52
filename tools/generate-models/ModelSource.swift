import CoreDataModel
import Foundation
import ModelGenerator
import ToolConsole

/// The model to read, and the selection of its versions.
struct ModelSource {
  var path: String
  var order = VersionOrder()
  var selection = VersionSelection()

  /// Reads the model, keeps only the selected versions, and reports the reader's warnings.
  /// - Throws: ``Failure`` if the model cannot be read, or does not have a selected version.
  func read(reporting: Bool = true) throws -> ModelInput {
    let url = URL(fileURLWithPath: path)
    var input = try Progress.shared.during("reading \(url.lastPathComponent)") { try ModelInput.read(url) }
    if let indices = try order.indices(in: input.versions, of: url) { input.arrange(indices) }
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
  /// Keeps only the selected versions, and removes diagnostics about the files of other versions.
  mutating func select(_ indices: [Int]) {
    let rest = versions.versions.indices.filter { !indices.contains($0) }.map { versions.versions[$0].name }
    let chosen = indices.compactMap { locations[versions.versions[$0].name]?.file }
    let files = Set(rest.compactMap { locations[$0]?.file }).subtracting(chosen)
    diagnostics.removeAll { files.contains($0.file) }
    versions = versions.selecting(indices)
  }
}
