import CoreDataModel
import CoreDataStore
import Foundation
import ManagedModel
import ModelArchive
import SQLite
import TestSupport
import Testing

/// A real model in any of the forms that `generate-models` takes, and the real stores that one of its versions made.
struct FixtureModel: Sendable, CustomTestStringConvertible {
  enum Form { case bundle, compiled, store }

  let form: Form
  let url: URL

  /// The path under the fixtures.
  var testDescription: String { String(url.path.dropFirst(Fixtures.url("").path.count + 1)) }

  init(_ form: Form, _ path: String) { self.init(form, Fixtures.url(path)) }

  private init(_ form: Form, _ url: URL) {
    self.form = form
    self.url = url
  }

  /// Every bundle with a version in XML, every compiled model, every store that carries its model; by path.
  static let all: [FixtureModel] =
    found(in: Fixtures.url("models")).map { FixtureModel(.bundle, $0) }
    + found(in: Fixtures.url("compiled")).map {
      FixtureModel($0.pathExtension.hasPrefix("xc") ? .bundle : .compiled, $0)
    }
    + storeNames.map { FixtureModel(.store, "stores/\($0)") }.filter(\.hasModel)

  /// Whether a store carries its model: one that cannot be read is for the tests to fail on.
  private var hasModel: Bool {
    do { _ = try versions() } catch let error as StoreError {
      if case .noModel = error.kind { return false }
    } catch {}
    return true
  }

  /// The models of all versions, in the order of the generated schemas.
  func versions() throws -> [ModelDescription] {
    switch form {
    case .bundle: return try ModelBundle.read(at: url).versions.map(\.model)
    case .store: return [try StoreModel.read(url).model]
    case .compiled:
      guard url.pathExtension == "momd" else { return [try ModelArchive.decode(Data(contentsOf: url))] }
      return try FileManager.default.contentsOfDirectory(atPath: url.path).filter { $0.hasSuffix(".mom") }
        .sorted { naturalOrder(String($0.dropLast(4)), String($1.dropLast(4))) }
        .map { try ModelArchive.decode(Data(contentsOf: url.appendingPathComponent($0))) }
    }
  }

  struct Store {
    let name: String
    /// The position of the version.
    let version: Int
  }

  /// The stores whose recorded hashes are those of a version; of a store's model, the store itself.
  func stores(of versions: [ModelDescription]) throws -> [Store] {
    if form == .store { return [Store(name: url.lastPathComponent, version: 0)] }
    let hashes = try versions.map { try VersionHashes($0) }
    return Self.hashesOfStores.compactMap { name, recorded in
      hashes.lastIndex(of: recorded).map { Store(name: name, version: $0) }
    }.sorted { $0.name < $1.name }
  }

  private static let storeNames: [String] =
    ((try? FileManager.default.contentsOfDirectory(atPath: Fixtures.url("stores").path)) ?? [])
    .filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()

  private static let hashesOfStores: [String: VersionHashes] = {
    var hashes: [String: VersionHashes] = [:]
    for name in storeNames {
      guard let copy = try? Fixtures.copyOfStore(name) else { continue }
      withExtendedLifetime(copy) {
        guard let connection = try? Connection(path: copy.url.path, mode: .readWrite) else { return }
        hashes[name] = try? StoreMetadata(connection).hashes
        connection.close()
      }
    }
    return hashes
  }()

  /// The models in a folder; what is inside of one belongs to it, and those without any XML are of another age.
  private static func found(in folder: URL) -> [URL] {
    let manager = FileManager.default
    let entries = (try? manager.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.isDirectoryKey])) ?? []
    return entries.sorted { $0.path < $1.path }.flatMap { entry -> [URL] in
      switch entry.pathExtension {
      case "mom": return [entry]
      case "momd":
        // One holds its VersionInfo.plist only, which the tool refuses.
        let files = (try? manager.contentsOfDirectory(atPath: entry.path)) ?? []
        return files.contains { $0.hasSuffix(".mom") } ? [entry] : []
      case "xcdatamodeld", "xcdatamodel":
        let contents = manager.enumerator(atPath: entry.path)?.contains { "\($0)".hasSuffix("contents") } ?? false
        return contents ? [entry] : []
      default:
        let isFolder = (try? entry.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) ?? false
        return isFolder ? found(in: entry) : []
      }
    }
  }
}
