import ErrorReporting
import Foundation
import ManagedModel
import TestSupport
import Testing

@testable import ModelArchive

@Suite(
  "Archives that Core Data wrote",
  .enabled(if: Fixtures.areAvailable, Comment(rawValue: Fixtures.explanation)))
struct RealArchiveTests {
  @Test("VH-15, VH-17, CD-1.4: every model in a store and every .mom decodes to Core Data's hashes")
  func hashes() throws {
    let archives = try FixtureArchives.all()
    #expect(archives.count > 50)
    for archive in archives {
      let model = try archive.model()
      #expect(!archive.hashes.isEmpty)
      #expect(try VersionHashes(model).hashes == archive.hashes, "\(archive.name)")
    }
  }

  @Test("VH-15: what is compressed again has the bytes that Core Data wrote")
  func compression() throws {
    let caches = try FixtureArchives.all().filter { $0.deflated != nil }
    #expect(caches.count > 40)
    for cache in caches { #expect(try RawDeflate.deflate(cache.data) == cache.deflated, "\(cache.name)") }
  }

  @Test("Every decoded model is sound, and no inherited property is repeated in it")
  func soundness() throws {
    for archive in try FixtureArchives.all() {
      let errors = try archive.model().validate().filter { $0.severity == .error }
      #expect(errors.isEmpty, "\(archive.name): \(errors.map(\.description))")
    }
  }

  @Test("VH-15: what is decoded is the same after encoding, in equal bytes each time")
  func roundTrip() throws {
    for archive in try FixtureArchives.sample() {
      let model = try archive.model()
      let encoded = try ModelArchive.encode(model)
      #expect(try ModelArchive.decode(encoded) == model, "\(archive.name)")
      #expect(try ModelArchive.encode(model) == encoded)
      #expect(try ModelArchive.omissions(from: model) == [])
      let cache = try ModelArchive.encodeModelCache(model)
      #expect(try ModelArchive.decodeModelCache(cache) == model)
    }
  }

  @Test("VH-15: the independent checker computes Core Data's hashes from what is written")
  func checker() throws {
    let folder = try TemporaryStore()
    let archives = try FixtureArchives.all()
    let files = archives.indices.map { folder.folder.appendingPathComponent("\($0).mom") }
    for (archive, file) in zip(archives, files) {
      try ModelArchive.encode(archive.model()).write(to: file)
    }
    for (archive, hashes) in try zip(archives, FixtureArchives.checkerHashes(files)) {
      #expect(hashes == archive.hashes, "\(archive.name)")
    }
  }

  @Test("Two versions of a model need a migration exactly if their hashes differ")
  func differences() throws {
    let models = try FixtureArchives.all().map { try $0.model() }
    let hashes = try models.map { try VersionHashes($0) }
    for index in models.indices.dropFirst() {
      let difference = ModelDifference(from: models[index - 1], to: models[index])
      #expect(difference.needsMigration == (hashes[index - 1] != hashes[index]))
    }
  }

  @Test("Everything that a compiled model states is read")
  func contents() throws {
    let models = try FixtureArchives.all().map { try $0.model() }
    let entities = models.flatMap(\.entities)
    let attributes = entities.flatMap(\.attributes)
    let relationships = entities.flatMap(\.relationships)
    #expect(attributes.contains { $0.derivation?.expression == "pages.@count" })
    #expect(attributes.contains { $0.derivation?.expression == "now()" })
    #expect(attributes.contains { $0.derivation?.expression == "canonical:(optionalString)" })
    #expect(attributes.contains { !$0.elements.isEmpty })
    #expect(attributes.contains { $0.minimumValue == .integer(3) && $0.maximumValue == .integer(50) })
    #expect(attributes.contains { $0.valueTransformerName == "CoverTransformer" })
    #expect(attributes.contains { if case .uuid? = $0.defaultValue { true } else { false } })
    #expect(attributes.contains { if case .date? = $0.defaultValue { true } else { false } })
    #expect(attributes.contains { if case .decimal? = $0.defaultValue { true } else { false } })
    #expect(attributes.contains { $0.allowsExternalBinaryDataStorage })
    #expect(attributes.contains { $0.allowsCloudEncryption })
    #expect(attributes.contains { $0.renamingIdentifier != nil })
    #expect(attributes.contains { $0.userInfo.values.contains { if case .array = $0 { true } else { false } } })
    #expect(relationships.contains { $0.isOrdered })
    #expect(relationships.contains { $0.deleteRule == .deny })
    #expect(entities.contains { !$0.fetchIndexes.isEmpty && !$0.compoundIndexes.isEmpty })
    let indexes = entities.flatMap(\.fetchIndexes)
    #expect(indexes.contains { $0.elements.contains { $0.subject == .expression("SELF") } })
    #expect(indexes.contains { $0.elements.contains { $0.subject == .expression("entity") } })
    #expect(indexes.contains { $0.partialIndexPredicate == "syndicationIdentifier != nil" })
    #expect(
      entities.flatMap(\.fetchedProperties).contains { property in
        property.fetchRequest.predicateFormat
          == "authorAlias == $FETCH_SOURCE.alias AND comment CONTAINS[c] $FETCHED_PROPERTY.userInfo.search"
      })
    let templates = models.flatMap(\.fetchRequestTemplates)
    #expect(templates.contains { $0.predicateFormat == "oneToOne.name == $NAME OR string == $NEEDLE" })
    #expect(templates.contains { $0.returnsDistinctResults && $0.name == "ObjectFetchRequest" })
    #expect(models.contains { $0.configurations.contains { $0.name == "SampleConfigurationV1" } })
    #expect(models.contains { $0.versionIdentifiers == ["1.0.0"] })
  }

  @Test("An optimised model is refused with the way out")
  func optimizedModel() throws {
    let url = Fixtures.url("compiled/RestKit__RestKit/6efa73fa/RestKitCoreData.momd/RestKitCoreData.omo")
    let data = try Data(contentsOf: url)
    #expect(throws: ModelArchiveError.optimizedModel) { try ModelArchive.decode(data) }
    #expect(ModelArchiveError.optimizedModel.description.contains(".mom"))
  }
}
