import TestSupport
import Testing

@testable import PropertyLists

/// The order of dictionaries in real archives.
@Suite struct ArchivedDictionaryOrderTests {
  @Test(
    "VH-15: dictionaries of properties in real archives are in this order",
    .enabled(if: Fixtures.areAvailable, Comment(rawValue: Fixtures.explanation)))
  func realArchives() throws {
    var count = 0
    for archive in try FixtureArchives.all() where !archive.name.hasSuffix(".mom") {
      let keyed = try KeyedArchive(BinaryPropertyList(archive.data))
      for position in keyed.objects.indices {
        let object = ArchivedObject(archive: keyed, position: position)
        guard object.isKind(of: "NSEntityDescription"), let properties = try object.object("NSProperties") else {
          continue
        }
        let keys = (try properties.entries(as: "NSProperties") ?? []).map(\.key)
        let runs = runs(keys)
        #expect(keys.map { runs[$0] } == DictionaryOrder.sorted(keys).map { runs[$0] }, "\(archive.name)")
        count += 1
      }
    }
    #expect(count > 600)
  }

  /// The run of taken slots that each key is in: within one, the order depends on which key was added first, which is not known.
  private func runs(_ keys: [String]) -> [String: Int] {
    let slots = DictionaryOrder.slots(keys, count: 0)
    var runs: [String: Int] = [:]
    var run = 0
    for slot in slots {
      if let slot { runs[slot] = run } else { run += 1 }
    }
    // What goes over the end goes on at the beginning.
    let isRound = slots.first != .some(nil) && slots.last != .some(nil)
    return runs.mapValues { isRound && $0 == run ? 0 : $0 }
  }
}
