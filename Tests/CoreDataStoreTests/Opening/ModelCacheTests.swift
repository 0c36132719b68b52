import Foundation
import ManagedModel
import ModelArchive
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

@Suite("Archives of models that were decoded lately")
struct ModelCacheTests {
  /// Whether two reads of equal archives give one model: its entities have one place in memory then.
  private func isDecodedOnce(_ archive: Data) throws -> Bool {
    let (first, second) = try (ModelCache.model(archive), ModelCache.model(Data(archive.map { $0 })))
    return first.entities.withUnsafeBufferPointer { entities in
      second.entities.withUnsafeBufferPointer { $0.baseAddress == entities.baseAddress }
    }
  }

  @Test("Equal archives are decoded once")
  func equal() throws {
    let archive = try ModelArchive.encodeModelCache(SampleModel.library)
    // Stores of other tests may come between two reads, and take the place of the archive.
    #expect(try (0..<100).contains { _ in try isDecodedOnce(archive) })
  }

  @Test("A large archive is decoded each time")
  func large() throws {
    var random = SplitMix(seed: 1)
    let noise = (0..<140_000).map { _ in random.next() }
    var model = SampleModel.library
    model.entities[0].userInfo["noise"] = .data(noise.withUnsafeBytes { Data($0) })
    let archive = try ModelArchive.encodeModelCache(model)
    #expect(archive.count > 1 << 20)
    #expect(try !isDecodedOnce(archive))
  }
}
