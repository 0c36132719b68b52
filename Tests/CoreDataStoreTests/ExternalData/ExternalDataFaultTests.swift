import Foundation
import SQLite
import StoreRequests
import TestSupport
import Testing

@testable import CoreDataStore
@testable import StoreInspection

/// Support folders that are not what they have to be.
@Suite struct ExternalDataFaultTests {
  private typealias World = ExternalDataWorld

  @Test("A support folder that is a link is not followed", arguments: [true, false])
  func folderIsLink(isOuter: Bool) throws {
    let world = try World()
    let manager = FileManager.default
    let outside = world.folder.folder.appendingPathComponent("outside/_EXTERNAL_DATA")
    try manager.createDirectory(at: outside, withIntermediateDirectories: true)
    let support = world.filesFolder().deletingLastPathComponent()
    if isOuter {
      try manager.createSymbolicLink(at: support, withDestinationURL: outside.deletingLastPathComponent())
    } else {
      try manager.createDirectory(at: support, withIntermediateDirectories: true)
      try manager.createSymbolicLink(at: world.filesFolder(), withDestinationURL: outside)
    }
    let error = #expect(throws: StoreError.self) {
      try world.insert(["title": .text("a"), "image": .blob(World.big(1))])
    }
    #expect(error?.description.contains("symbolic link, which is not followed") == true, "\(error?.description ?? "")")
    #expect(try manager.contentsOfDirectory(atPath: outside.path) == [])
    #expect(try world.images() == [])
    // Small values need no folder.
    try world.insert(["title": .text("b"), "image": .blob(Data([1]))])
    // Reading and removing do not follow it either.
    let name = UUID().uuidString
    try World.big(1).write(to: outside.appendingPathComponent(name))
    try set(world, Data([2]) + Data(name.utf8) + Data([0]))
    #expect(throws: SQLiteError.self) { try world.images() }
    #expect(try world.externalFiles().folderProblem?.contains("symbolic link") == true)
    try world.delete(ObjectKey(entity: 1, key: 1))
    #expect(try manager.contentsOfDirectory(atPath: outside.path) == [name])
  }

  @Test("A file that is a link is neither read nor followed when it is removed")
  func fileIsLink() throws {
    let world = try World()
    let key = try world.insert(["title": .text("a"), "image": .blob(World.big(1))])
    let file = world.filesFolder().appendingPathComponent(try #require(try world.files().first))
    let secret = world.folder.folder.appendingPathComponent("secret")
    try FileManager.default.moveItem(at: file, to: secret)
    try FileManager.default.createSymbolicLink(at: file, withDestinationURL: secret)
    let error = #expect(throws: SQLiteError.self) { try world.images() }
    #expect(error?.message.contains("symbolic link") == true)
    let files = try world.externalFiles()
    #expect(files.missing == [] && files.fileProblems?.count == 1)
    #expect(files.fileProblems?.first?.problem.hasSuffix("is a symbolic link, which is not followed") == true)
    // Tools that read a state are told of the file, not of the statement.
    let failure = #expect(throws: StoreError.self) {
      try world.store.readState { state in
        let image = ColumnSelection(entityName: "Picture", propertyName: "image")
        let rows = try state.rows(FetchRequest(entityName: "Picture", columns: [image]))
        while try rows.next() {}
      }
    }
    #expect(failure?.description.contains("whose file cannot be used: ") == true, "\(failure?.description ?? "")")
    #expect(failure?.description.contains("SQL") == false)
    // The same value is not compared through the link.
    #expect(throws: StoreError.self) { try world.update(key, ["image": .blob(World.big(1))]) }
    try world.delete(key)
    #expect(try world.files() == [] && Data(contentsOf: secret) == World.big(1))
  }

  @Test("Something else in a file's or the folder's place is an error that says so")
  func strangeFiles() throws {
    let world = try World()
    try world.insert(["title": .text("a"), "image": .blob(World.big(1))])
    let file = world.filesFolder().appendingPathComponent(try #require(try world.files().first))
    try FileManager.default.removeItem(at: file)
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
    let error = #expect(throws: SQLiteError.self) { try world.images() }
    #expect(error?.message.contains("is no file") == true)
    let problem = try world.externalFiles().fileProblems?.first
    #expect(problem?.problem.hasSuffix("is no file") == true && problem?.remedy == "move away what is there")
    try FileManager.default.removeItem(at: file)
    #expect(mkfifo(file.path, 0o600) == 0)
    #expect(throws: SQLiteError.self) { try world.images() }
    try FileManager.default.removeItem(at: world.filesFolder())
    try Data().write(to: world.filesFolder())
    #expect(throws: SQLiteError.self) { try world.images() }
    let failure = #expect(throws: StoreError.self) {
      try world.insert(["title": .text("b"), "image": .blob(World.big(2))])
    }
    #expect(failure?.description.contains("is no folder — move away what is there") == true)
  }

  @Test(
    "A reference can name nothing but a UUID",
    arguments: [
      "../../../../../../../../etc/passwd\0\0\0", "/etc/passwd", "..", "................................../x",
      "                                    ", "{6BA7B810-9DAD-11D1-80B4-00C04FD430}",
    ])
  func hostileNames(name: String) throws {
    let world = try World()
    try world.insert(["title": .text("a"), "image": .blob(Data([1]))])
    let padded = Data(name.utf8.prefix(36)) + Data(repeating: 0x41, count: max(0, 36 - name.utf8.count))
    try set(world, Data([2]) + padded + Data([0]))
    #expect(try world.images() == [.null])
    let files = try world.externalFiles()
    #expect(files.foreignNames.count == 1 && files.missing == [] && files.fileCount == 0)
  }

  @Test("Values that know of no prefix are shown as they are", arguments: [Data([0xFF, 0xD8]), Data([2, 1]), Data()])
  func bareValues(data: Data) throws {
    let world = try World()
    try world.insert(["title": .text("a"), "image": .blob(Data([1]))])
    try set(world, data)
    #expect(try world.images() == [.blob(data)])
  }

  @Test("What a crash leaves is told of: files without a row, and rows without a file")
  func leftovers() throws {
    let world = try World()
    try world.insert(["title": .text("a"), "image": .blob(World.big(1))])
    try world.insert(["title": .text("b"), "image": .blob(World.big(2))])
    let reference = try #require(try world.stored()[1])
    let name = String(decoding: reference.dropFirst().dropLast(), as: UTF8.self)
    try FileManager.default.removeItem(at: world.filesFolder().appendingPathComponent(name))
    let orphan = UUID().uuidString
    for name in [orphan, ".\(orphan).writing"] {
      try Data([1]).write(to: world.filesFolder().appendingPathComponent(name))
    }
    let files = try world.externalFiles()
    #expect(files.unreferenced == [".\(orphan).writing", orphan] && files.missing == [name])
    #expect(files.references == 2 && files.fileCount == 3 && files.folderProblem == nil)
    #expect(files.byteCount == Int64(World.big(1).count + 2))
  }

  @Test(
    "A folder that cannot be written stops the save, and nothing changes", .enabled(if: getuid() != 0, "not as root"))
  func notWritable() throws {
    let world = try World()
    try world.insert(["title": .text("a"), "image": .blob(World.big(1))])
    chmod(world.filesFolder().path, 0o500)
    defer { chmod(world.filesFolder().path, 0o700) }
    let error = #expect(throws: StoreError.self) {
      try world.insert(["title": .text("b"), "image": .blob(World.big(2))])
    }
    #expect(error?.description.contains("ermission") == true)
    #expect(try world.images() == [.blob(World.big(1))])
  }

  @Test("Files have the permissions of their store")
  func permissions() throws {
    let world = try World()
    chmod(world.folder.url.path, 0o600)
    try world.insert(["title": .text("a"), "image": .blob(World.big(1))])
    let file = world.filesFolder().appendingPathComponent(try #require(try world.files().first))
    for (path, expected) in [(file.path, 0o600), (world.filesFolder().path, 0o700)] {
      let found = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(found.map { $0 & 0o777 } == expected)
    }
  }

  /// Puts bytes into the first row behind the store's back.
  private func set(_ world: World, _ data: Data) throws {
    let connection = try Connection(path: world.folder.url.path, mode: .readWrite)
    defer { connection.close() }
    let statement = try connection.prepare("UPDATE ZPICTURE SET ZIMAGE = ?1")
    try statement.bind(data, at: 1)
    try statement.run()
  }
}
