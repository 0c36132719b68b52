import Foundation
import ManagedModel
import TestSupport
import Testing

@testable import ModelArchive

@Suite("Archives that a fuzzer found")
struct FuzzCorpusTests {
  @Test("Each is a model, which an archive of ours keeps if it is sound, or an error of ours, and never a trap")
  func replay() throws {
    let folder = Fixtures.packageRoot.appendingPathComponent("Tests/ModelArchiveTests/FuzzCorpus")
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    #expect(files.count >= 20)
    var models = 0
    for file in files {
      let bytes = try Data(contentsOf: file)
      do {
        let isCache = bytes.first == UInt8(ascii: "Z")
        let model = try isCache ? ModelArchive.decodeModelCache(bytes.dropFirst()) : ModelArchive.decode(bytes)
        models += 1
        guard model.isSound, let archive = try? ModelArchive.encode(model) else { continue }
        let once = try ModelArchive.decode(archive)
        #expect(try ModelArchive.decode(ModelArchive.encode(once)) == once, "\(file.lastPathComponent)")
      } catch {
        #expect(error is ModelArchiveError, "\(file.lastPathComponent): \(error)")
      }
    }
    #expect(models > 0 && models < files.count)
  }
}
