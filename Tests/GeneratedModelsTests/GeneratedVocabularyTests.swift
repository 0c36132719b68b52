import CoreDataModel
import Foundation
import ManagedModel
import TestSupport
import Testing

@testable import SwiftData

/// The golden files of a bundle that says everything a model can say, compiled and run.
@Suite(
  "Generated vocabulary", .damagesStores("derived attributes with a filter, whose hash the checker does not compute"))
struct GeneratedVocabularyTests {
  private static func parsed() throws -> ModelDescription {
    let bundle = try ModelBundle.read(
      at: Fixtures.packageRoot.appendingPathComponent("Tests/ModelGeneratorTests/Models/Vocabulary.xcdatamodeld"))
    return bundle.versions[0].model
  }

  @Test("VH-1 … VH-8 The classes have the hashes of the model") func hashes() throws {
    let lowered = try Schema(versionedSchema: VocabularySchemaV1.self).lowered()
    #expect(try VersionHashes(lowered).differingEntities(from: VersionHashes(Self.parsed())) == [])
  }

  @Test("All else that a model's archive carries is the classes' too") func model() throws {
    let lowered = try Schema(versionedSchema: VocabularySchemaV1.self).lowered()
    #expect(try lowered.canonical.differences(from: Self.parsed().canonical) == [])
    #expect(try lowered.canonical == Self.parsed().canonical)
  }

  private func context() throws -> (ModelContext, TemporaryStore) {
    let store = try TemporaryStore()
    let container = try ModelContainer(
      for: Schema(versionedSchema: VocabularySchemaV1.self), configurations: ModelConfiguration(url: store.url))
    return (ModelContext(container), store)
  }

  @Test("Rules, fetched properties and fetch requests do what the model says") func behaviour() throws {
    let (context, store) = try context()
    defer { withExtendedLifetime(store) {} }
    let harbour = Harbour(
      code: 7, name: "Trieste", place: Place(city: "Trieste", postCode: "34100", quay: Quay(number: 3)))
    let voyage = Voyage(number: 2, destination: harbour)
    let cargo = Cargo(label: "Coffee", mass: 12, voyage: voyage, contents: ["beans"])
    context.insert(cargo)
    context.insert(Cargo(label: "Tea", mass: 3, voyage: voyage))
    try context.save()
    #expect(harbour.heavy.map(\.label) == ["Coffee"])
    #expect(try context.fetch(VocabularySchemaV1.heavyFreights(mass: 5)).map(\.label) == ["Coffee"])
    #expect(try context.fetch(VocabularySchemaV1.voyagesTo(harbour: harbour)).map(\.number) == [2])
    let named = try VocabularySchemaV1.harbourNames(text: "TRIE", city: "Trieste")
    #expect(try context.fetch(named).map(\.code) == [7])
    cargo.label = "coffee"
    harbour.code = 1000
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(
      Set(error?.validationProblems.map { "\($0.propertyName) \($0.problem)" } ?? []) == [
        "label does not match '[A-Z].*'", "code is more than 999",
      ])
    context.rollback()
    let fresh = try #require(
      try ModelContext(context.container).fetch(FetchDescriptor<Harbour>()).first)
    #expect(fresh.place == Place(city: "Trieste", postCode: "34100", quay: Quay(number: 3)))
    #expect(fresh.canonicalName == "trieste")
  }

  @Test("A configuration's helper makes its store") func configuration() throws {
    let store = try TemporaryStore()
    let configuration = VocabularySchemaV1.shoreConfiguration(url: store.url)
    #expect(configuration.name == "Shore")
    #expect(configuration.schema?.entitiesByName["Harbour"] != nil)
    #expect(configuration.cloudKitDatabase == .automatic)
  }
}
