import Foundation
import ManagedModel
import TestSupport
import Testing

@testable import CoreDataModel

@Suite("Bundles on disk")
struct BundleTests {
  private let sandbox: TemporaryStore
  private let bundle: URL

  init() throws {
    sandbox = try TemporaryStore(name: "Shop.xcdatamodeld")
    bundle = sandbox.url
  }

  private func write(_ text: String, _ path: String) throws {
    let file = bundle.appendingPathComponent(path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  private func addVersions(_ names: String...) throws {
    for name in names { try write(modelText("<entity name=\"E\"/>"), "\(name).xcdatamodel/contents") }
  }

  private func recordCurrent(_ value: String) throws {
    try write(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      \(value)
      </plist>
      """, ".xccurrentversion")
  }

  private func recordCurrent(name: String) throws {
    try recordCurrent("<dict><key>_XCCurrentVersionName</key><string>\(name)</string></dict>")
  }

  @Test("Versions come in natural order, with their names, folders and the one that is current")
  func versions() throws {
    try addVersions("Shop 10", "Shop", "Shop 2", "Shop 1.9", "Shop 1.10")
    try recordCurrent(name: "Shop 2.xcdatamodel")
    let read = try ModelBundle.read(at: bundle)
    #expect(read.name == "Shop")
    #expect(read.versions.map(\.name) == ["Shop", "Shop 1.9", "Shop 1.10", "Shop 2", "Shop 10"])
    #expect(read.versions.map(\.isCurrent) == [false, false, false, true, false])
    #expect(read.current?.name == "Shop 2")
    #expect(read.diagnostics.isEmpty)
    #expect(read.versions.map(\.url.lastPathComponent).first == "Shop.xcdatamodel")
    #expect(read.versions.allSatisfy { $0.model.entities.map(\.name) == ["E"] })
  }

  @Test("Two versions whose names differ in their Unicode form only are told, not merged")
  func twins() throws {
    try addVersions("Caf\u{E9}", "Cafe\u{301}", "Other")
    try recordCurrent(name: "Other.xcdatamodel")
    let error = #expect(throws: ModelReadingError.self) { try ModelBundle.read(at: bundle) }
    #expect(error?.diagnostics.map(\.problem) == ["two versions have this name, in different Unicode forms"])
  }

  @Test("A single .xcdatamodel is a bundle of one current version")
  func single() throws {
    try addVersions("Only")
    let read = try ModelBundle.read(at: bundle.appendingPathComponent("Only.xcdatamodel"))
    #expect(read.name == "Only")
    #expect(read.versions.map(\.isCurrent) == [true])
    #expect(read.diagnostics.isEmpty)
  }

  @Test("A bundle of one version need not say which one is current")
  func oneVersion() throws {
    try addVersions("Shop")
    #expect(try ModelBundle.read(at: bundle).diagnostics.isEmpty)
    try recordCurrent("<dict/>")
    let read = try ModelBundle.read(at: bundle)
    #expect(read.diagnostics.isEmpty)
    #expect(read.current?.name == "Shop")
  }

  @Test(
    "Where the current version is not told, the last one is taken, with a warning",
    arguments: [
      ("", "does not record its current version"),
      ("<dict/>", "names no current version"),
      ("<dict><key>_XCCurrentVersionName</key></dict>", "names no current version"),
      ("<dict><key>_XCCurrentVersionName</key><integer>3</integer></dict>", "names no current version"),
      ("<array/>", "names no current version"),
      ("<dict>", "not well-formed"),
      (
        "<dict><key>_XCCurrentVersionName</key><string>Shop 3.xcdatamodel</string></dict>",
        "“Shop 3.xcdatamodel” is not in the bundle (did you mean “Shop 2.xcdatamodel”?)"
      ),
      (
        "<dict><key>_XCCurrentVersionName</key><string>../Shop.xcdatamodeld/Shop.xcdatamodel</string></dict>",
        "is not in the bundle"
      ),
    ])
  func currentUnknown(list: String, says: String) throws {
    try addVersions("Shop", "Shop 2", "Shop 10")
    if !list.isEmpty { try recordCurrent(list) }
    let read = try ModelBundle.read(at: bundle)
    #expect(read.current?.name == "Shop 10")
    #expect(read.versions.filter(\.isCurrent).count == 1)
    let warning = try #require(read.diagnostics.first)
    #expect(read.diagnostics.count == 1)
    #expect(warning.severity == .warning)
    #expect(warning.problem.contains(says), "\(warning)")
    #expect(warning.remedy?.contains("“Shop 10” was taken") == true)
    #expect(warning.file == bundle.appendingPathComponent(list.isEmpty ? "" : ".xccurrentversion").standardizedPath)
  }

  @Test("A list of the current version is never expanded or loaded")
  func hostileList() throws {
    try addVersions("Shop", "Shop 2")
    try write(
      """
      <!DOCTYPE plist [<!ENTITY a SYSTEM "file:///etc/hostname">]>
      <plist><dict><key>_XCCurrentVersionName</key><string>&a;</string></dict></plist>
      """, ".xccurrentversion")
    let read = try ModelBundle.read(at: bundle)
    #expect(read.diagnostics.map(\.problem) == ["the file declares or uses an XML entity of its own"])
  }

  @Test("A version that cannot be read is an error in the diagnostics; the others are there")
  func oneBroken() throws {
    try addVersions("Shop", "Shop 3")
    try write("<model>\n<entity", "Shop 2.xcdatamodel/contents")
    try recordCurrent(name: "Shop 2.xcdatamodel")
    let read = try ModelBundle.read(at: bundle)
    #expect(read.versions.map(\.name) == ["Shop", "Shop 3"])
    #expect(read.current == nil)
    #expect(read.hasErrors)
    #expect(read.diagnostics.map(\.line) == [2])
    #expect(read.diagnostics.first?.file.hasSuffix("Shop.xcdatamodeld/Shop 2.xcdatamodel/contents") == true)
  }

  @Test("A missing path says so")
  func missing() throws {
    try expectUnreadable(bundle, file: bundle, "there is no such file or folder")
  }

  @Test("An empty folder, or one of something else, holds no version")
  func empty() throws {
    try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
    try expectUnreadable(bundle, file: bundle, "holds no version of a model")
    try write("hello", "README")
    try expectUnreadable(bundle, file: bundle, "holds no version of a model")
  }

  @Test("A file in place of a folder says which folder to give")
  func fileForFolder() throws {
    try write("hello", "Shop.mom")
    let compiled = bundle.appendingPathComponent("Shop.mom")
    try expectUnreadable(compiled, file: compiled, "this is a file, not a folder")
    try addVersions("Shop")
    let contents = bundle.appendingPathComponent("Shop.xcdatamodel/contents")
    try expectUnreadable(contents, file: contents, "give the .xcdatamodel folder that it is in")
  }

  @Test("A folder in place of a file is told")
  func folderForFile() throws {
    try write("x", "Shop.xcdatamodel/contents/x")
    let file = bundle.appendingPathComponent("Shop.xcdatamodel/contents")
    try expectUnreadable(bundle, file: file, "this is a folder, not a file")
  }

  @Test("A device in place of a file is not opened")
  func device() throws {
    let model = bundle.appendingPathComponent("Shop.xcdatamodel")
    try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
    let file = model.appendingPathComponent("contents")
    try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "/dev/zero")
    try expectUnreadable(bundle, file: file, "this is a pipe or a device, not a file")
  }

  @Test("A version without contents")
  func noContents() throws {
    let model = bundle.appendingPathComponent("Shop.xcdatamodel")
    try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
    try expectUnreadable(bundle, file: model, "no “contents” file")
  }

  @Test("An empty contents file")
  func emptyContents() throws {
    try write("", "Shop.xcdatamodel/contents")
    let file = bundle.appendingPathComponent("Shop.xcdatamodel/contents")
    try expectUnreadable(bundle, file: file, "the file is empty")
  }

  @Test("A damaged model of Xcode 3 says so, alone or in a bundle; its layout is not read")
  func damagedArchive() throws {
    try write("bplist00", "Shop.xcdatamodel/elements")
    try write("bplist00", "Shop.xcdatamodel/layout")
    let elements = bundle.appendingPathComponent("Shop.xcdatamodel/elements")
    try expectUnreadable(bundle, file: elements, "the archive of the model is damaged")
    try expectUnreadable(bundle.appendingPathComponent("Shop.xcdatamodel"), file: elements, "momc")
  }

  @Test(
    "A folder or file without permission says so",
    .enabled(if: getuid() != 0, "root may read everything"))
  func permission() throws {
    try addVersions("Shop")
    let file = bundle.appendingPathComponent("Shop.xcdatamodel/contents")
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file.path)
    try expectUnreadable(bundle, file: file, "the file cannot be read")
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: bundle.path)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: bundle.path) }
    try expectUnreadable(bundle, file: bundle, "the folder cannot be listed")
  }

  @Test("A name that looks like a path stays a name")
  func namesAreNoPaths() throws {
    try write(
      modelText("<entity name=\"../../etc/passwd\" representedClassName=\"/bin/sh\"/>"), "Shop.xcdatamodel/contents")
    let before = try FileManager.default.subpathsOfDirectory(atPath: sandbox.folder.path).sorted()
    let read = try ModelBundle.read(at: bundle)
    #expect(read.versions.first?.model.entities.map(\.name) == ["../../etc/passwd"])
    #expect(try FileManager.default.subpathsOfDirectory(atPath: sandbox.folder.path).sorted() == before)
  }

  private func expectUnreadable(
    _ url: URL, file: URL, _ says: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let error = try #require(
      #expect(throws: ModelReadingError.self, sourceLocation: sourceLocation) { try ModelBundle.read(at: url) })
    let diagnostic = try #require(error.diagnostics.first, sourceLocation: sourceLocation)
    #expect(error.diagnostics.count == 1, sourceLocation: sourceLocation)
    #expect("\(diagnostic)".contains(says), "\(diagnostic)", sourceLocation: sourceLocation)
    #expect(
      "\(diagnostic)".hasPrefix("\(file.standardizedPath):1: error: "), "\(diagnostic)", sourceLocation: sourceLocation)
  }
}

extension URL {
  fileprivate var standardizedPath: String { standardizedFileURL.path }
}
