import CoreDataModel
import Foundation
import ManagedModel

/// One bundle and the median times of the importer's stages, in seconds of one processor.
struct Measurement {
  let name: String
  let versionCount: Int
  let attributeCount: Int
  let byteCount: Int
  let plain: Double
  let read: Double
  let hash: Double
  /// Hashing included: the migration plan needs it.
  let generate: Double
  /// Median of the sums of reading and generating.
  let all: Double

  init(of url: URL, rounds: Int) throws {
    let bundle = try Importer.read(url)
    let files = bundle.versions.map { $0.url.appendingPathComponent("contents") }
    name = bundle.name
    versionCount = files.count
    attributeCount = bundle.versions.reduce(0) { $0 + $1.model.entities.reduce(0) { $0 + $1.attributes.count } }
    byteCount = try files.reduce(0) { try $0 + Data(contentsOf: $1).count }

    var seconds = [[Double]](repeating: [], count: 4)
    // The first round warms caches and is not counted.
    for round in 0...rounds {
      let plain = try Self.time { try PlainLibXML2.read(files) }
      let read = try Self.time { try Importer.read(url) }
      let hash = try Self.time { try Importer.hash(read.result) }
      let generate = try Self.time { try Importer.generate(read.result) }
      if round == 0 { continue }
      for (index, time) in [plain.seconds, read.seconds, hash.seconds, generate.seconds].enumerated() {
        seconds[index].append(time)
      }
    }
    plain = Self.median(seconds[0])
    read = Self.median(seconds[1])
    hash = Self.median(seconds[2])
    generate = Self.median(seconds[3])
    all = Self.median(zip(seconds[1], seconds[3]).map { $0 + $1 })
  }

  var tableRow: String {
    let size = String(format: "%.1f MB", Double(byteCount) / 1e6)
    let times = [plain, read, hash, generate, all].map { String(format: "%.0f ms (× %.1f)", $0 * 1000, $0 / plain) }
    return "| \(name) | \(versionCount) | \(attributeCount) | \(size) | \(times.joined(separator: " | ")) |"
  }

  /// Processor time: all of this runs on one thread, and other programs do not count.
  private static func time<Result>(_ work: () throws -> Result) throws -> (result: Result, seconds: Double) {
    let start = processorSeconds
    let result = try work()
    return (result, processorSeconds - start)
  }

  private static var processorSeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
