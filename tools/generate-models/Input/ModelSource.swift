import CoreDataModel
import Foundation
import ManagedModel
import ModelGenerator
import ToolConsole
import ToolModels

/// The model to read, and the selection of its versions.
struct ModelSource {
  /// The path of a file or folder, or the address of a database.
  var path: String
  /// The schema of a database; `nil` for `public`.
  var schema: String?
  var order = VersionOrder()
  var selection = VersionSelection()

  /// The file or folder to read; `nil` for a database.
  var file: URL? { DatabaseAddress.isAddress(path) ? nil : URL(fileURLWithPath: path) }

  /// Checks that an output is not the model itself, and no place in its bundle.
  ///
  /// - Throws: ``Failure`` if files would be written among those that are read, also through a link.
  func requireOutside(_ output: URL) throws {
    guard let file, FileManager.default.fileExists(atPath: file.path) else { return }
    var bundle = URL(fileURLWithPath: FilePlace.real(file.path))
    // A version belongs to the bundle that it is in.
    let parent = bundle.deletingLastPathComponent()
    if ["xcdatamodeld", "momd"].contains(parent.pathExtension) { bundle = parent }
    guard FilePlace.leads(output.path, into: bundle.path) else { return }
    let problem =
      FilePlace.leads(file.path, into: output.path)
      ? "it is the model that is read" : "it lies in the model that is read"
    throw Failure(output, line: nil, problem, remedy: "choose another place for the output")
  }

  /// Reads the model, keeps only the selected versions, and reports the reader's warnings.
  /// - Throws: ``Failure`` if the model cannot be read, or does not have a selected version.
  func read(reporting: Bool = true) throws -> ModelInput {
    let input = try readAny()
    if reporting { Console.report(input.diagnostics) }
    return input
  }

  private func readAny() throws -> ModelInput {
    guard DatabaseAddress.isAddress(path) else {
      let url = URL(fileURLWithPath: path)
      return try Progress.shared.during("reading \(url.lastPathComponent)") { try read(url) }
    }
    var input = try Progress.shared.during("reading the database") {
      try ModelInput.read(database: path, schema: schema)
    }
    try arrangeAndSelect(&input)
    return input
  }

  /// Puts the versions into the stated order, and keeps the chosen ones.
  private func arrangeAndSelect(_ input: inout ModelInput) throws {
    if let indices = try order.indices(in: input.versions, of: input.place) { input.arrange(indices) }
    let chosen = try selection.indices(in: input.versions, of: input.place)
    if chosen.count < input.versions.versions.count { input.select(chosen) }
  }

  /// Reads only the files of the chosen versions, where each version has a file of its own and no
  /// order is stated.
  private func read(_ url: URL) throws -> ModelInput {
    if order.isStated {
      var input = try ModelInput.read(url)
      try arrangeAndSelect(&input)
      return input
    }
    if selection.isEverything { return try ModelInput.read(url) }
    var isChosen = false
    var input = try ModelInput.read(url) { names, current in
      isChosen = true
      return try selection.indices(in: ModelVersions(names: names, current: current), of: ModelPlace(url))
    }
    if !isChosen {
      let chosen = try selection.indices(in: input.versions, of: input.place)
      if chosen.count < input.versions.versions.count { input.select(chosen) }
    }
    return input
  }

  func generate(_ input: ModelInput, options: ModelGenerator.Options) throws -> ModelInput.Generated {
    try Progress.shared.during("generating \(input.versions.versions.count) versions") {
      try input.generate(with: ModelGenerator(options: options))
    }
  }
}

extension ModelVersions {
  /// A bundle whose versions are not read yet: their names only.
  init(names: [String], current: Int?) {
    self.init(
      name: "", source: "", versions: names.map { Version(name: $0, model: ModelDescription()) }, currentIndex: current)
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
