import CoreDataStore
import Foundation
import SwiftData
import TestSupport
import Testing

/// The class of a real store, reconstructed from the store.
private enum Welcome {
  @Model final class Item {
    var number: Int
    var timestamp: Date

    init(number: Int, timestamp: Date) {
      self.number = number
      self.timestamp = timestamp
    }
  }
}

@Suite(
  "The model in a new store", .enabled(if: Fixtures.areAvailable, Comment(rawValue: Fixtures.explanation)))
struct ArchivedModelTests {
  @Test("VH-15, CD-1.4: it is the model that Apple's SwiftData wrote for the same class")
  func model() throws {
    let store = try TemporaryStore()
    let container = try ModelContainer(
      for: Welcome.Item.self, configurations: ModelConfiguration(url: store.url))
    try withExtendedLifetime(container) {
      let real = try Fixtures.copyOfStore("thierryH91200__WelcomeTo__SampleWelcomeTo.store")
      let (ours, apples) = (try StoreModel.read(store.url), try StoreModel.read(real.url))
      #expect(ours.model == apples.model)
      #expect(ours.metadata.hashes == apples.metadata.hashes)
    }
  }
}
