import Foundation

// Every contestant does every piece of work once per round, in turn, so that a machine whose speed drifts drifts for all.
let rounds = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 5
/// Counts the processor's time instead of the clock's, for a machine that others use meanwhile; waiting for the disk is left out.
let countsProcessorTime = CommandLine.arguments.contains("--processor-time")

let contestants: [any Contestant] = [
  OpenSwiftDataContestant(),
  GRDBContestant(name: "GRDB, hand-written records", make: HandWrittenPlayer.init),
  GRDBContestant(
    name: "GRDB, Codable records",
    make: {
      CodablePlayer(name: $0.name, email: $0.email, score: $0.score, rating: $0.rating, joined: $0.joined)
    }),
  BareSQLiteContestant(),
]

struct Work {
  var title: String
  var run: (any Contestant, URL) throws -> Int
}

let works = [
  Work(title: "insert 100,000 and save") {
    try $0.insertAll(in: $1)
    return 0
  },
  Work(title: "fetch all 100,000") { try $0.fetchAll(in: $1) },
  Work(title: "fetch ~10,000 filtered, sorted") { try $0.fetchFiltered(in: $1) },
]

var seconds = [[[Double]]](repeating: .init(repeating: [], count: contestants.count), count: works.count)
_ = Sample.all

for round in 0...rounds {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("benchmarks-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  for (workIndex, work) in works.enumerated() {
    var sums: Set<Int> = []
    for offset in contestants.indices {
      let index = (offset + round) % contestants.count
      var sum = 0
      let start = now()
      sum = try work.run(contestants[index], folder)
      let time = now() - start
      sums.insert(sum)
      // The first round warms caches and is not counted.
      if round > 0 { seconds[workIndex][index].append(time) }
    }
    guard sums.count == 1 else {
      print("\(work.title): the contestants read different rows: \(sums)")
      exit(1)
    }
  }
}

/// Seconds since some moment.
func now() -> Double {
  var time = timespec()
  clock_gettime(countsProcessorTime ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
func ratio(_ left: Double, _ right: Double) -> String { String(format: "%.2f", left / right) }

let clock = countsProcessorTime ? ", processor time" : ""
print("Median of \(rounds) rounds\(clock); × is the time as a multiple of this package's.\n")
print("| work | " + contestants.map(\.name).joined(separator: " | ") + " |")
print("| --- |" + String(repeating: " ---: |", count: contestants.count))
for (workIndex, work) in works.enumerated() {
  let ours = median(seconds[workIndex][0])
  let cells = seconds[workIndex].map {
    String(format: "%.0f ms", median($0) * 1000) + " (× \(ratio(median($0), ours)))"
  }
  print("| \(work.title) | " + cells.joined(separator: " | ") + " |")
}
