import CoreDataModel
import Foundation
import ModelArchive

/// Writes the files of all models below a folder, the archives of these models, and a store, as first inputs: `xml`,
/// `archive` and `store`.
func makeSeeds(of models: URL, in folder: URL) throws {
  let (xml, archives) = (folder.appendingPathComponent("xml"), folder.appendingPathComponent("archive"))
  let stores = folder.appendingPathComponent("store")
  for folder in [xml, archives, stores] {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }
  let files =
    FileManager.default.enumerator(at: models, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
  let contents = files.filter { $0.lastPathComponent == "contents" }.sorted { $0.path < $1.path }
  for (number, file) in contents.enumerated() {
    let bytes = try Data(contentsOf: file)
    try bytes.write(to: xml.appendingPathComponent("seed-\(number)"))
    guard let parsed = try? ModelParser.parse(bytes, fileName: file.path) else { continue }
    func write(_ bytes: Data, _ name: String) throws {
      try bytes.write(to: archives.appendingPathComponent("seed-\(number)-\(name)"))
    }
    try write(ModelArchive.encode(parsed.model, as: .compiledModel), "compiled")
    try write(ModelArchive.encode(parsed.model), "cache")
    try write(Data("Z".utf8) + ModelArchive.encodeModelCache(parsed.model), "deflated")
  }
  try StoreTemplate().seeds().enumerated().forEach { number, bytes in
    try bytes.write(to: stores.appendingPathComponent("seed-\(number)"))
  }
  print("\(contents.count) models, their archives and a store, in \(folder.path)")
}
