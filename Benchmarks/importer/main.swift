import CoreDataModel
import Foundation

// Times the importer on a bundle made by code, at half, full and double size, and on the bundles named on the command
// line: reading, hashing and generating, beside libxml2 alone on the same files.

let rounds = 5
let folder = FileManager.default.temporaryDirectory.appendingPathComponent("importer-benchmark-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

let bundles =
  try [50, 100, 200].map { try SyntheticBundle(versionCount: $0).write(in: folder) }
  + CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0, isDirectory: true) }
let measured = try bundles.map { try Measurement(of: $0, rounds: rounds) }

print("Processor time, median of \(rounds) rounds; × is a multiple of libxml2's own tree of the same files.\n")
let columns =
  ["bundle", "versions", "attributes", "XML", "libxml2 alone", "read", "hash"]
  + ["generate, with hashes", "read and generate"]
print("| " + columns.joined(separator: " | ") + " |")
print("| --- |" + String(repeating: " ---: |", count: columns.count - 1))
for row in measured { print(row.tableRow) }
let perByte = measured.prefix(3).map { $0.all / Double($0.byteCount) }
let growth = perByte.map { String(format: "%.2f", $0 / perByte[0]) }.joined(separator: " : ")
print("\nTime per byte at half, full and double size: \(growth)")
