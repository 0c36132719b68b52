import CoreDataStore
import Foundation
import StoreRequests

// Times `CoreDataStore` beside SQLite's own interface doing the same statements, the opening of a large store, and the memory
// that a streamed read takes.

/// The value of `--name=value`.
func option(_ name: String) -> Int? {
  let start = "--\(name)="
  return CommandLine.arguments.first { $0.hasPrefix(start) }.flatMap { Int($0.dropFirst(start.count)) }
}

let rounds = option("rounds") ?? 5
let count = 100_000
let folder = FileManager.default.temporaryDirectory.appendingPathComponent("store-benchmark-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
func place(_ name: String) -> URL { folder.appendingPathComponent(name) }

/// A copy of a closed store, in the place of the last one.
func copy(_ template: URL, to url: URL) throws {
  for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
  try FileManager.default.copyItem(at: template, to: url)
}

func row(_ work: String, _ ours: Double, _ bare: Double) {
  print(String(format: "| %@ | %.0f ms (× %.2f) | %.0f ms (× 1.00) |", work, ours * 1000, ours / bare, bare * 1000))
}

/// Migrations of a tenth of the rows, then of all of them.
func measureMigrations(rows: Int) throws {
  print("| migrating | CoreDataStore | the same SQL by hand | most memory |\n| --- | ---: | ---: | ---: |")
  for rows in [rows / 10, rows] {
    for contest in try MigrationContestant.contests(rows: rows, in: folder) {
      let result = try contest.measure(rounds: rounds)
      print(
        String(
          format: "| %d %@ | %.0f ms (× %.2f) | %.0f ms (× 1.00) | %.1f MB |", rows, contest.name, result.ours * 1000,
          result.ours / result.byHand, result.byHand * 1000, Double(result.peak) / 1_048_576))
      fflush(nil)
    }
  }
}

// `store-benchmark --migrations=100000` measures migrations only, with the peak of memory in each.
for argument in CommandLine.arguments.dropFirst()
where argument != "--processor-time" && !["--migrations=", "--rounds="].contains(where: argument.hasPrefix) {
  print("Usage: store-benchmark [--migrations=ROWS] [--rounds=COUNT] [--processor-time]")
  exit(64)
}
if let rows = option("migrations") {
  try measureMigrations(rows: max(rows, 10))
  try? FileManager.default.removeItem(at: folder)
  exit(0)
}

let books = Book.all(count)
let template = place("template.sqlite")
try StoreContestant(url: template).create()

let heard = place("heard.sqlite")
try copy(template, to: heard)
let unexpanded = try StoreContestant(url: heard).statements(of: books, isExpanded: false)
try copy(template, to: heard)
let expanded = try StoreContestant(url: heard).statements(of: books, isExpanded: true)
let ours = StoreContestant(url: place("store.sqlite"))
let bare = try BareSQLiteContestant(
  url: place("bare.sqlite"), expanded: expanded, unexpanded: unexpanded,
  fetching: StoreContestant(url: heard).fetchStatement())

// Inserting: each round into a fresh copy; the copying is timed and taken off.
let inserting = try Rounds(
  rounds,
  [
    { try copy(template, to: ours.url) },
    {
      try copy(template, to: ours.url)
      try ours.insert(books)
    },
    {
      try copy(template, to: bare.url)
      try bare.insert(books, firstKey: 1)
    },
  ]
).medians
let reading = try Rounds(
  rounds,
  [
    { guard Book.checksum(try ours.fetch()) == Book.checksum(books) else { throw CocoaError(.fileReadCorruptFile) } },
    { guard Book.checksum(try bare.fetch()) == Book.checksum(books) else { throw CocoaError(.fileReadCorruptFile) } },
  ]
).medians

print("| \(count) rows of eight columns | CoreDataStore | bare SQLite, the same statements |")
print("| --- | ---: | ---: |")
row("insert in one save, history included", inserting[1] - inserting[0], inserting[2] - inserting[0])
row("read all into an array", reading[0], reading[1])

// Opening.
let large = place("large.sqlite")
let model = BookModel.large(entityCount: 200)
try PersistentStore.open(at: large, model: model).close()
let opening = try Rounds(
  21,
  [
    { try PersistentStore.open(at: large).close() }, { try PersistentStore.open(at: large, model: model).close() },
    { try BareSQLiteContestant.open(large) },
  ]
).medians
print("\n| opening a store of 200 entities | |\n| --- | ---: |")
for (name, time) in zip(["with its own model", "with a given model", "bare SQLite, reading its schema"], opening) {
  print(String(format: "| %@ | %.1f ms |", name, time * 1000))
}

// Memory, after reading a tenth of the rows and after reading them all ten times.
let store = try ours.open()
_ = try store.fetch(FetchRequest(entityName: "Book", limit: count / 10, columns: BookModel.columns)).next()
_ = try ours.stream(store)
let before = residentMemory()
var read = 0
for _ in 0..<10 { read += try ours.stream(store) }
let after = residentMemory()
store.close()
print("\nStreaming \(read) rows grew the process by \((after - before) / 1024) KB, from \(before / 1_048_576) MB.")

print("")
try measureMigrations(rows: 1_000_000)
