import Foundation
import ManagedModel
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// Stores one byte of which is another: an error, a finding or nothing at all, but never a trap, a write or a wait.
@Suite struct FlippedByteTests {
  struct Subject: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: @Sendable () throws -> Data
  }

  static let subjects: [Subject] = [
    Subject(testDescription: "two entities") {
      let folder = try TemporaryStore()
      let store = try PersistentStore.open(at: folder.url, model: SampleModel.twoIslands)
      let note = try store.layout.existingEntity("Note")
      var changes = ChangeSet()
      changes.insertions = (0..<5).map {
        .init(
          entity: Int32(note.number), columns: [ColumnSelection(entityName: "Note", propertyName: "text")],
          source: StoreValuesRow(values: ["text": .text("note \($0)")]))
      }
      _ = try store.save(changes)
      store.close()
      return try Data(contentsOf: folder.url)
    },
    Subject(testDescription: "pairs, order, subentities and indexes") {
      let folder = try TemporaryStore()
      let store = try PersistentStore.open(at: folder.url, model: SampleModel.library)
      for number in 1...3 {
        if number == 1 { try SavingProcess.addShelf(to: store) }
        try SavingProcess.save(number, store)
      }
      store.close()
      return try Data(contentsOf: folder.url)
    },
  ]

  @Test(
    "each byte of the first two pages and of the metadata, and in the metadata's and the model's pages",
    arguments: subjects, [UInt8(0xff), 0x01])
  func flipped(_ subject: Subject, _ mask: UInt8) throws { try flip(subject.bytes(), mask) }

  @Test(
    "the same bytes of a real store", .enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"),
    arguments: [UInt8(0xff), 0x01])
  func flippedInRealStore(_ mask: UInt8) throws {
    try flip(Data(contentsOf: Fixtures.url("stores/alemar11__CoreDataPlus__SampleModel3_V1.sqlite")), mask)
  }

  private func flip(_ bytes: Data, _ mask: UInt8) throws {
    let folder = try TemporaryStore()
    try bytes.write(to: folder.url)
    #expect(try HostileStore.use(folder.url, isReadOnly: true).isSound)
    let file = open(folder.url.path, O_RDWR)
    defer { close(file) }
    let positions = try Self.positions(bytes)
    let step = FullTests.areWanted ? 1 : 1_999
    var counts = (refused: 0, found: 0, sound: 0)
    for position in stride(from: 0, to: positions.count, by: step).map({ positions[$0] }) {
      var damaged = bytes
      damaged[position] ^= mask
      pwrite(file, [damaged[position]], 1, off_t(position))
      for isReadOnly in [true, false] {
        do {
          switch try HostileStore.use(folder.url, isReadOnly: isReadOnly) {
          case .refused: counts.refused += 1
          case .found: counts.found += 1
          case .sound: counts.sound += 1
          }
        } catch {
          Issue.record("byte \(position): \(error)")
        }
        // Whole, so that a later byte that somebody else wrote does not go unseen.
        if try Data(contentsOf: folder.url) != damaged { Issue.record("byte \(position) made something write") }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.folder.path)
        if names.count > 1 { Issue.record("byte \(position) left \(names)") }
      }
      pwrite(file, [bytes[position]], 1, off_t(position))
    }
    #expect(counts.refused > 0 && counts.sound > 0)
  }

  /// The bytes of the first two pages, and of every page that holds a piece of the metadata or the cached model.
  private static func positions(_ bytes: Data) throws -> [Int] {
    let folder = try TemporaryStore()
    try bytes.write(to: folder.url)
    let connection = try Connection(path: folder.url.path, mode: .immutable)
    defer { connection.close() }
    let size = Int(try connection.integer("PRAGMA page_size") ?? 4096)
    var pages: Set<Int> = [0, 1]
    for query in ["SELECT Z_PLIST FROM Z_METADATA", "SELECT Z_CONTENT FROM Z_MODELCACHE"] {
      let row = try connection.prepare(query)
      guard try row.step(), let value = row.blob(0) else { continue }
      for start in stride(from: 0, to: value.count - 24, by: 200) {
        let piece = value.subdata(in: start..<start + 24)
        if let found = bytes.range(of: piece) { pages.insert(found.lowerBound / size) }
      }
    }
    return pages.sorted().flatMap { page in page * size..<min(bytes.count, (page + 1) * size) }
  }
}

extension HostileStore.Outcome {
  fileprivate var isSound: Bool { if case .sound = self { true } else { false } }
}
