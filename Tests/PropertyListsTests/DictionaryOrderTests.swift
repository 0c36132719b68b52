import Testing

@testable import PropertyLists

/// The order of Core Foundation's dictionaries.
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
}
