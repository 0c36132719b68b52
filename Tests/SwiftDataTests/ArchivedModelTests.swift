import Foundation
import SQLite
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
  @Test("VH-15, CD-1.4: it has the bytes that Apple's SwiftData wrote for the same class")
  func bytes() throws {
    let store = try TemporaryStore()
    let container = try ModelContainer(
      for: Welcome.Item.self, configurations: ModelConfiguration(url: store.url))
    try withExtendedLifetime(container) {
      let real = try Fixtures.copyOfStore("thierryH91200__WelcomeTo__SampleWelcomeTo.store")
      let (ours, apples) = (try cachedModel(store.url), try cachedModel(real.url))
      #expect(ours == apples)
      #expect(ours.isEmpty == false)
    }
  }

  private func cachedModel(_ url: URL) throws -> Data {
    let connection = try Connection(path: url.path, mode: .readWrite)
    let statement = try connection.prepare("SELECT Z_CONTENT FROM Z_MODELCACHE")
    guard try statement.step(), let data = statement.blob(0) else { return Data() }
    return data
  }
}
