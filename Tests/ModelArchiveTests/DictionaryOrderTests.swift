import Foundation
import TestSupport
import Testing

@testable import ModelArchive

/// The order of Core Foundation's dictionaries, beside those that real archives hold.
@Suite struct DictionaryOrderTests {
  @Test("Texts that want one slot stand in the order in which they were added")
  func collisions() {
    // Of thirteen slots the two want the same one; these are the keys of real metadata, in their order (CD-1.3).
    let keys = [
      "NSPersistenceMaximumFrameworkVersion", "NSStoreModelVersionIdentifiers", "NSStoreType", "_NSAutoVacuumLevel",
      "NSStoreModelVersionHashesDigest", "NSStoreModelVersionChecksumKey", "NSStoreModelVersionHashes",
      "NSPersistenceFrameworkVersion", "NSStoreModelVersionHashesVersion",
    ]
    #expect(DictionaryOrder.sorted(keys) == keys)
    var swapped = keys
    swapped.swapAt(6, 7)
    #expect(DictionaryOrder.sorted(keys.sorted()) == swapped)
    #expect(DictionaryOrder.sorted([]) == [])
    let many = (0..<30_000).map { "key \($0)" }
    #expect(Set(DictionaryOrder.sorted(many)) == Set(many))
    #expect(DictionaryOrder.places(["one"], count: 100) == ["one": 0])
    let long = String(repeating: "ä", count: 97)
    #expect(DictionaryOrder.hashCode(long) != DictionaryOrder.hashCode(long + "a"))
  }

  @Test("A dictionary that grows adds its entries anew, in the order of the smaller one")
  func growth() {
    // A transient attribute of real archives: `$class`, which comes last, makes the dictionary grow, and moves first (VH-15).
    let keys = [
      "NSRenamingIdentifier", "NSPropertyName", "NSEntity", "NSIsOptional", "NSIsTransient", "_P", "NSAttributeType",
      "NSAttributeValueClassName", "NSDefaultValue", "NSValueTransformerName", "NSFlagsKey", "$class",
    ]
    #expect(
      DictionaryOrder.sortedAsGrown(keys) == [
        "NSFlagsKey", "NSEntity", "NSAttributeType", "NSDefaultValue", "NSValueTransformerName", "$class",
        "NSIsTransient", "NSAttributeValueClassName", "NSIsOptional", "NSPropertyName", "NSRenamingIdentifier", "_P",
      ])
    #expect(DictionaryOrder.sortedAsGrown([]) == [])
    #expect(DictionaryOrder.sortedAsGrown(["NS.keys", "NS.objects", "$class"]) == ["NS.keys", "NS.objects", "$class"])
    let many = (0..<20_000).map { "key \($0)" }
    #expect(Set(DictionaryOrder.sortedAsGrown(many)) == Set(many))
  }

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
