import Foundation
import ManagedModel
import TestSupport
import Testing

@testable import ModelGenerator

/// A bundle that says everything a model can say; `GeneratedModelsTests` compiles and runs what becomes of it.
@Suite("The whole vocabulary")
struct VocabularyGoldenTests {
  static let bundle = Fixtures.packageRoot.appendingPathComponent(
    "Tests/ModelGeneratorTests/Models/Vocabulary.xcdatamodeld")

  @Test("In the open dialect everything is said, but that a request gives dictionaries") func open() throws {
    let versions = try ModelVersions.reading(Self.bundle)
    let output = try ModelGenerator().generate(versions)
    try GoldenFolder("Vocabulary").compare(output.files)
    #expect(
      output.notes.map(\.subject) == [
        "not expressed: that the fetch request template “harbourNames” gives dictionaries"
      ])
  }

  @Test("For Apple's API the same source is there with what is left out, item by item") func apple() throws {
    let generator = ModelGenerator(options: .init(dialect: .apple))
    let output = try generator.generate(.reading(Self.bundle))
    try GoldenFolder("VocabularyForApple").compare(output.files)
    let subjects = output.notes.map(\.subject).joined(separator: "\n")
    for item in [
      "Freight: not expressed: that the entity is abstract", "the hash modifier “freight”", "the former name “Load”",
      "Cargo: not expressed: the class name “CDCargo”", "the Spotlight display name “label”",
      "user info for “sync.name”", "Freight.label: not expressed: length in 1...40, matches “[A-Z].*”",
      "Freight.mass: not expressed: value in 0.5...", "Harbour.heavy: not expressed: the fetched property",
      "Harbour.canonicalName: not expressed: the derivation from “canonical:(name)”",
      "Harbour.record: not expressed: storage in an external record", "Harbour.scratch: not expressed: a type",
      "the predicate “mass > 2” of the index “byLabel”", "the index “byObject”, which indexes an expression",
      "Harbour.arrivals: not expressed: user info for “role”", "the order of its objects",
      "the fetch request template “heavyFreights” as a part of the model",
      "the configuration “Shore” as a part of the model",
      "Place.post code: not expressed: the options of an element of a composite attribute",
    ] {
      #expect(subjects.contains(item), "\(item) is not among:\n\(subjects)")
    }
  }

  @Test("The declarations say the model itself, read back") func everything() throws {
    let versions = try ModelVersions.reading(Self.bundle)
    let translation = try BundleTranslator(versions, options: .init()).translate()
    guard case .schema(let schema)? = translation.files.first?.content else { throw CancellationError() }
    let read = DeclarationReader(schema).model()
    #expect(read.canonical.differences(from: versions.versions[0].model.canonical) == [])
    // The comparison sees what it is to see.
    var changed = read.canonical
    changed.entities[0].properties[0] = .attribute(AttributeDescription(name: "contents", type: .string))
    #expect(changed.differences(from: read.canonical).count == 1)
  }
}
