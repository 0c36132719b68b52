import Foundation
import StoreTestSupport
import TestSupport

@testable import SwiftData

/// A container of three stores with a class each, and a context with changes in all of them.
final class JointSaveWorld {
  /// An object of any of the three classes.
  protocol Colour: PersistentModel {
    var name: String { get }
    var note: String? { get set }
    var image: Data? { get set }
    init(_ name: String)
  }

  @Model final class Red: Colour {
    @Attribute(.unique) var name: String
    var note: String?
    @Attribute(.externalStorage) var image: Data?
    init(_ name: String) { self.name = name }
  }

  @Model final class Green: Colour {
    @Attribute(.unique) var name: String
    var note: String?
    @Attribute(.externalStorage) var image: Data?
    init(_ name: String) { self.name = name }
  }

  @Model final class Blue: Colour {
    @Attribute(.unique) var name: String
    var note: String?
    @Attribute(.externalStorage) var image: Data?
    var shade: Shade?
    init(_ name: String) { self.name = name }
  }

  /// A value that cannot be written if it has no name.
  struct Shade: Codable {
    var name: String
    var tone: [String: Int] = [:]

    func encode(to encoder: any Encoder) throws {
      guard !name.isEmpty else {
        throw EncodingError.invalidValue(name, .init(codingPath: encoder.codingPath, debugDescription: "no name"))
      }
      var container = encoder.singleValueContainer()
      try container.encode(name)
    }
  }

  /// Why a save fails in one store.
  enum Cause: CaseIterable, Sendable { case conflict, uniqueness, fullDisk, locked, device }

  static let types: [any Colour.Type] = [Red.self, Green.self, Blue.self]
  static let after = types.map { _ in ["added 200001", "first changed 150000"] }

  let folder: TemporaryStore
  let container: ModelContainer
  let context: ModelContext
  /// The file system of each store.
  let disks: [FaultyFileSystem]

  /// - Parameter sharesDisk: whether all stores have the same file system.
  init(sharesDisk: Bool = false) throws {
    folder = try TemporaryStore()
    let folder = folder
    let places = Self.types.indices.map { Self.url(folder, $0).deletingLastPathComponent() }
    for place in places { try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true) }
    let shared = sharesDisk ? FaultyFileSystem(folder.folder) : nil
    disks = places.map { shared ?? FaultyFileSystem($0) }
    container = try Self.container(folder, order: [0, 1, 2])
    context = ModelContext(container)
    context.autosaveEnabled = false
    for type in Self.types {
      let object: any Colour = type.init("first")
      object.image = Data(repeating: 1, count: 150_000)
      context.insert(object)
    }
    try context.save()
  }

  private static func url(_ folder: TemporaryStore, _ index: Int) -> URL {
    folder.folder.appendingPathComponent("\(types[index])").appendingPathComponent("\(types[index]).store")
  }

  private static func container(_ folder: TemporaryStore, order: [Int]) throws -> ModelContainer {
    let configurations = order.map {
      ModelConfiguration("\(types[$0])", schema: Schema([types[$0]]), url: url(folder, $0))
    }
    return try ModelContainer(for: Schema(types), configurations: configurations)
  }

  /// Another container of the same stores.
  func container(order: [Int]) throws -> ModelContainer { try Self.container(folder, order: order) }

  /// Changes an object of each store, and inserts another.
  @discardableResult func change() throws -> [String] {
    for type in Self.types {
      for object in try Self.all(type, context) { object.note = "changed" }
      let added: any Colour = type.init("added")
      added.image = Data(repeating: 2, count: 200_001)
      context.insert(added)
    }
    return state
  }

  private static func all<Model: Colour>(_ type: Model.Type, _ context: ModelContext) throws -> [any Colour] {
    try context.fetch(FetchDescriptor<Model>())
  }

  /// The unsaved changes: each object with its status, row and version.
  var state: [String] {
    (context.insertedModelsArray + context.changedModelsArray).map { object in
      let isPermanent = object.persistentModelID.storeIdentifier != nil
      return "\(type(of: object)) \(object._$state.status) \(object._$state.key) \(object._$state.version) "
        + "\(object._$state.changedProperties) \(isPermanent)"
    }
  }

  /// The objects of each store as a new context reads them.
  ///
  /// - Parameter countsFiles: adds a line for files with big values that no object has.
  func contents(countsFiles: Bool = true) throws -> [[String]] {
    let context = ModelContext(container)
    return try Self.types.indices.map { index in
      let objects = try Self.all(Self.types[index], context)
      var lines = objects.map { object in
        [object.name, object.note, (object.image?.count).map(String.init)].compactMap(\.self).joined(separator: " ")
      }
      let place = Self.url(folder, index).deletingLastPathComponent()
      let files = FileManager.default.enumerator(atPath: place.path)?.compactMap { $0 as? String } ?? []
      let values = files.filter { $0.contains("_EXTERNAL_DATA/") }.count
      let images = objects.filter { $0.image != nil }.count
      if countsFiles, values != images { lines.append("\(values) files for \(images) images") }
      return lines.sorted()
    }
  }

  /// The number of transactions in the history of all stores.
  func transactions() throws -> Int {
    try ModelContext(container).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count
  }

  /// Makes the next save fail in a store by rows of somebody else.
  func prepare(_ cause: Cause, _ store: Int) throws {
    switch cause {
    case .conflict:
      context.conflictPolicy = .fail
      let other = ModelContext(try container(order: [0, 1, 2]))
      for object in try Self.all(Self.types[store], other) { object.note = "elsewhere" }
      try other.save()
    case .uniqueness:
      context.uniquenessPolicy = .fail
      let other = ModelContext(try container(order: [0, 1, 2]))
      let object: any Colour = Self.types[store].init("added")
      other.insert(object)
      try other.save()
    case .fullDisk, .locked, .device: break
    }
  }

  /// Makes the next save fail in a store by its file system.
  func arm(_ cause: Cause, _ store: Int) {
    let fault: FaultyFileSystem.Fault
    switch cause {
    case .conflict, .uniqueness: return
    case .fullDisk: fault = .fullDisk
    case .locked: fault = .busy
    case .device: fault = .device
    }
    disks[store].arm(fault, at: 1, isPersistent: true)
  }

  /// Takes the cause of a failure away.
  func heal() {
    for disk in disks { disk.disarm() }
    context.conflictPolicy = .mergeByProperty
    context.uniquenessPolicy = .upsert
  }
}
