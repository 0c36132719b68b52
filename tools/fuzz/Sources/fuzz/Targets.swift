import CoreDataModel
import Foundation
import ManagedModel
import ModelArchive
import ModelGenerator

/// Reads bytes as the `contents` of an `.xcdatamodel`, and does with the model what `generate-models` does.
func readXML(_ bytes: Data) -> CInt {
  guard let parsed = try? ModelParser.parse(bytes, fileName: "contents") else { return 0 }
  for diagnostic in parsed.diagnostics {
    precondition(!diagnostic.description.contains(where: \.isNewline), "a message has more than one line")
  }
  if !parsed.diagnostics.contains(where: { $0.severity == .error }) { use(parsed.model) }
  return 0
}

/// Reads bytes as a `.mom`, or, after a `Z`, as the cached model of a store.
func readArchive(_ bytes: Data) -> CInt {
  let isCache = bytes.first == UInt8(ascii: "Z")
  let model = isCache ? try? ModelArchive.decodeModelCache(bytes.dropFirst()) : try? ModelArchive.decode(bytes)
  if let model { use(model) }
  return 0
}

/// Hashes a model, makes Swift of it, and writes it as an archive, which has to be readable and to keep the model.
private func use(_ model: ModelDescription) {
  _ = try? VersionHashes(model)
  let versions = ModelVersions(
    name: "Fuzz", source: "Fuzz.xcdatamodeld", versions: [ModelVersions.Version(name: "Fuzz", model: model)])
  _ = try? ModelGenerator().generate(versions)
  // What is not sound no store is made of.
  guard model.isSound, let archive = try? ModelArchive.encode(model) else { return }
  guard let once = try? ModelArchive.decode(archive) else { preconditionFailure("our own archive cannot be read") }
  let twice = try? ModelArchive.decode(ModelArchive.encode(once))
  precondition(once == twice, "a model that was in an archive is another after it was in a second one")
}
