import Foundation
import GRDB
import Observation
import SwiftData

/// What an object takes in memory: the growth of a process of its own by 100,000 of them.
enum Memory {
  private static let cases = [
    ("object", "a model object, fetched"), ("observed", "a model object, fetched and observed"),
    ("record", "a record of GRDB, fetched"),
  ]

  static func printTable() throws {
    print("| one of 100,000 players | bytes |")
    print("| --- | ---: |")
    for (name, title) in cases {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      process.arguments = ["--memory-of=\(name)", try URL.players.path]
      let pipe = Pipe()
      process.standardOutput = pipe
      try process.run()
      let output = pipe.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      print("| \(title) | \(String(decoding: output, as: UTF8.self)) |")
    }
  }

  /// Measures in this process, which has done nothing before.
  static func measure(_ name: String, in folder: URL) throws {
    if name == "record" {
      let table = try PlayerTable<PlayerRecord>(folder)
      let before = residentMemory()
      let players = try table.queue.read { try PlayerRecord.fetchAll($0) }
      report(residentMemory() - before, players.count)
      _ = players.checksum
      return
    }
    let context = try PlayerStore(folder).context
    let before = residentMemory()
    let players = try context.fetch(FetchDescriptor<Player>())
    if name == "observed" {
      for player in players {
        withObservationTracking {
          _ = player.score
        } onChange: {
        }
      }
    }
    report(residentMemory() - before, players.count)
    _ = players.checksum
  }

  private static func report(_ bytes: Int, _ count: Int) { print(bytes / count, terminator: "") }

  /// Memory of this process that is in the machine's, in bytes.
  private static func residentMemory() -> Int {
    let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) : 0
  }
}
