import Foundation
import TestSupport
import Testing

/// An input that generate-models has to refuse, or to warn of, and what it has to say.
struct BadInput: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The path to give, in the folder of the test.
  let input: String
  /// The lines on standard error; the path of the folder is left out of them.
  let says: [String]
  /// 0 where the input is usable in spite of what is said.
  let status: Int32
  let make: @Sendable (InputFolder) throws -> Void

  init(
    _ name: String, _ input: String, says: String..., status: Int32 = 2,
    make: @escaping @Sendable (InputFolder) throws -> Void
  ) {
    testDescription = name
    self.input = input
    self.says = says
    self.status = status
    self.make = make
  }

  /// A version of a model by what its file says; the paths in the messages are short for `M.xcdatamodel/contents`.
  static func contents(_ name: String, _ contents: String, says: String..., status: Int32 = 2) -> BadInput {
    BadInput(name, Data(contents.utf8), says, status)
  }

  static func contents(_ name: String, bytes: Data, says: String..., status: Int32 = 2) -> BadInput {
    BadInput(name, bytes, says, status)
  }

  private init(_ name: String, _ contents: Data, _ says: [String], _ status: Int32) {
    testDescription = name
    input = "M.xcdatamodel"
    self.says = says.map { "M.xcdatamodel/contents:" + $0 }
    self.status = status
    make = { try $0.write(contents, to: "M.xcdatamodel/contents") }
  }
}

/// A folder for one input and what is made of it.
struct InputFolder {
  private let temporary: TemporaryStore

  init() throws { temporary = try TemporaryStore(damage: "bad input") }

  var url: URL { temporary.folder }

  func place(_ path: String) -> URL { url.appendingPathComponent(path) }

  func write(_ data: Data, to path: String) throws {
    try makeFolder((path as NSString).deletingLastPathComponent)
    try data.write(to: place(path))
  }

  func write(_ text: String, to path: String) throws { try write(Data(text.utf8), to: path) }

  func makeFolder(_ path: String) throws {
    try FileManager.default.createDirectory(at: place(path), withIntermediateDirectories: true)
  }

  func link(_ path: String, to destination: String) throws {
    try makeFolder((path as NSString).deletingLastPathComponent)
    try FileManager.default.createSymbolicLink(atPath: place(path).path, withDestinationPath: destination)
  }

  func setPermissions(_ permissions: Int, of path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: place(path).path)
  }

  /// Lines without this folder's path.
  func lines(_ text: String) -> [String] {
    text.replacingOccurrences(of: url.path + "/", with: "").split(separator: "\n").map(String.init)
  }

  /// Every entry below the folder with its bytes, so that a change shows.
  func snapshot() throws -> [String: Data] {
    var result: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: url.path) {
      let type = try FileManager.default.attributesOfItem(atPath: place(path).path)[.type] as? FileAttributeType
      result[path] = type == .typeRegular ? try? Data(contentsOf: place(path)) : Data()
    }
    return result
  }
}

extension BadInput {
  /// A sound model of one entity.
  static let soundModel = #"<model><entity name="A"><attribute name="x" attributeType="String"/></entity></model>"#

  static func entity(_ text: String) -> String { "<model>\n<entity name=\"A\">\n\(text)\n</entity>\n</model>" }
}
