import Foundation
import ManagedModel
import ModelGenerator
import ToolConsole
import ToolModels

/// Prints the changes between two versions of a model, and whether Core Data can infer the migration of a store.
struct DiffCommand {
  /// The model that contains the versions; without one, both sides are paths.
  var input: String?
  var old: String
  var new: String
  var order = VersionOrder()
  /// The schema of databases among the models; `nil` for `public`.
  var schema: String?
  var output: DocumentOutput
  var isJSON: Bool

  /// - Throws: ``Failure`` if a side cannot be found or read.
  func run() throws {
    let (old, new, mappings) = try sides()
    let difference = ModelDifference(from: old.model, to: new.model)
    let mapping = mappings.lazy.compactMap { mapping in
      mapping.fit(from: (old.name, old.model), to: (new.name, new.model)).map { (mapping.name, $0) }
    }.max { $0.1 < $1.1 }?.0
    if isJSON {
      return try output.write(
        JSONText.encode(DifferenceDocument(difference, from: old.name, to: new.name, mapping: mapping)))
    }
    let terminal = output.file == nil ? Terminal.output : .plain
    let text = DifferenceText(difference, from: old.name, to: new.name, mapping: mapping, terminal: terminal).lines
      .joined(
        separator: "\n")
    try output.write(Data((text + "\n").utf8))
  }

  /// The two versions, and the mapping models beside their bundle.
  private func sides() throws -> (ModelVersions.Version, ModelVersions.Version, [MappingModel]) {
    guard let input else { return (try current(old), try current(new), []) }
    let source = ModelSource(path: input, schema: schema, order: order)
    guard let url = source.file else {
      let model = try source.read()
      let names = VersionNames(model.versions, place: model.place)
      return (try side(old, in: model.versions, names), try side(new, in: model.versions, names), [])
    }
    var isChosen = false
    let choose: ModelFile.Choice = { names, current in
      isChosen = true
      let listed = VersionNames(ModelVersions(names: names, current: current), place: ModelPlace(url))
      let compared = try [old, new].compactMap { text -> Int? in
        if let index = listed.index(text) { return index }
        if isPath(text) { return nil }
        throw listed.failure(text)
      }
      return Set(compared).sorted()
    }
    var model =
      try order.isStated
      ? source.read(reporting: false) : ModelInput.read(url, choosing: choose)
    let bundle = model.versions
    let names = VersionNames(bundle, place: model.place)
    let sides = (try side(old, in: bundle, names), try side(new, in: bundle, names))
    let compared = Set([old, new].compactMap { names.index($0) }).sorted()
    if !isChosen, !compared.isEmpty { model.select(compared) }
    if !compared.isEmpty { Console.report(model.diagnostics) }
    return (sides.0, sides.1, bundle.mappings)
  }

  /// The version of the bundle with this name; otherwise the model at this path.
  private func side(_ text: String, in bundle: ModelVersions, _ names: VersionNames) throws -> ModelVersions.Version {
    if let index = names.index(text) { return bundle.versions[index] }
    guard isPath(text) else { throw names.failure(text) }
    return try current(text)
  }

  /// Whether a text is the path of a model, or the address of a database.
  private func isPath(_ text: String) -> Bool {
    DatabaseAddress.isAddress(text) || FileManager.default.fileExists(atPath: text)
  }

  /// The current version of the model at a path.
  private func current(_ path: String) throws -> ModelVersions.Version {
    let source = ModelSource(path: path, schema: schema, selection: VersionSelection(default: .current))
    if let file = output.file { try source.requireOutside(file) }
    let input = try source.read()
    let bundle = input.versions
    var version = bundle.versions[bundle.currentIndex]
    // The address of a database may contain a password.
    let place = source.file == nil ? input.place.text : path
    version.name = version.name == bundle.name ? place : "\(place), \(version.name)"
    return version
  }
}
