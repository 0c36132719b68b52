import ErrorReporting
import Foundation
import ModelGenerator
import ToolConsole

/// The folder for generated files, and its present content.
struct OutputFolder {
  let url: URL
  /// The bundle's file name, which identifies the folder's earlier files.
  private let source: String

  init(_ url: URL, source: String) {
    self.url = url
    self.source = source
  }

  /// A file to generate, and the state of its place.
  struct Entry {
    enum State {
      case absent, upToDate
      /// An earlier output of the generator.
      case outdated(Data)
      /// A file that the developer owns and the generator began once.
      case kept
      /// A file that the generator did not write, or whose first line was changed.
      case foreign(Data)
      /// An item that cannot be replaced, with the reason.
      case inTheWay(String)
    }

    var file: GeneratedFile
    var state: State
  }

  /// A file that an earlier run generated from the same bundle and this run does not generate.
  struct Orphan {
    var name: String
    var contents: Data
  }

  /// The content of the folder.
  struct Survey {
    var entries: [Entry]
    var orphans: [Orphan]
  }

  /// Examines the folder without changing it.
  ///
  /// - Throws: ``Failure`` if a file has the folder's place.
  func survey(_ files: [GeneratedFile]) throws -> Survey {
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), !isFolder.boolValue {
      throw Failure(
        url, line: nil, "a file is in the place of the output folder", remedy: "choose another output folder")
    }
    return Survey(
      entries: files.map { Entry(file: $0, state: state(of: $0)) },
      orphans: orphans(beside: Set(files.map(\.name))))
  }

  func place(_ name: String) -> URL { url.appendingPathComponent(name) }

  private func state(of file: GeneratedFile) -> Entry.State {
    let place = place(file.name)
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: place.path) else { return .absent }
    guard attributes[.type] as? FileAttributeType == .typeRegular else {
      return .inTheWay("it is not a file, but stands where one is to be generated")
    }
    if file.ownership == .developer { return .kept }
    guard let contents = try? Data(contentsOf: place) else {
      return .inTheWay("the file cannot be read, so whether it may be replaced is unknown")
    }
    if contents == Data(file.contents.utf8) { return .upToDate }
    guard contents.starts(with: Data(GeneratedFile.marker.utf8)) else { return .foreign(contents) }
    if let other = Self.source(statedBy: contents), Self.stem(other) != Self.stem(source) {
      return .inTheWay("it was generated from \(onOneLine(other)), whose name is spelled the same in Swift")
    }
    return .outdated(contents)
  }

  /// The file name in the first line of a generated file.
  private static func source(statedBy contents: Data) -> String? {
    let line = String(decoding: contents.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    return line.dropFirst(GeneratedFile.marker.count).range(of: ". ").map {
      String(line.dropFirst(GeneratedFile.marker.count)[..<$0.lowerBound])
    }
  }

  /// The name of a model without its extension, in any form: the bundle, a compiled model, a store.
  private static func stem(_ name: String) -> String { (name as NSString).deletingPathExtension }

  private func orphans(beside names: Set<String>) -> [Orphan] {
    let marker = Data("\(GeneratedFile.marker)\(source). ".utf8)
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
    return entries.sorted().filter { $0.hasSuffix(".swift") && !names.contains($0) }.compactMap { name in
      let attributes = try? FileManager.default.attributesOfItem(atPath: place(name).path)
      guard attributes?[.type] as? FileAttributeType == .typeRegular, Self.begins(place(name), with: marker),
        let contents = try? Data(contentsOf: place(name))
      else { return nil }
      return Orphan(name: name, contents: contents)
    }
  }

  private static func begins(_ file: URL, with marker: Data) -> Bool {
    guard let handle = try? FileHandle(forReadingFrom: file) else { return false }
    defer { try? handle.close() }
    return (try? handle.read(upToCount: marker.count)) == marker
  }
}

extension OutputFolder.Entry {
  /// Whether the generator writes the file.
  var isChanged: Bool {
    switch state {
    case .absent, .outdated: true
    case .upToDate, .kept, .foreign, .inTheWay: false
    }
  }

  /// The reason why the file cannot be generated.
  var obstacle: String? {
    switch state {
    case .foreign: "the file was not generated, or its first line was changed; it is not replaced"
    case .inTheWay(let what): what
    case .absent, .upToDate, .outdated, .kept: nil
    }
  }
}
