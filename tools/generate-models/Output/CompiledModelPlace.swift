import ErrorReporting
import Foundation
import ManagedModel
import ToolConsole
import ToolModels

/// The destination of a compiled model.
///
/// The model is first written whole beside its place and then moved there, so that no reader sees an incomplete model.
struct CompiledModelPlace {
  let folder: URL
  let url: URL
  /// The file or folder that is read; `nil` for a database.
  private let input: URL?

  init(folder: URL, name: String, input: URL?) {
    self.folder = folder
    self.input = input
    url = folder.appendingPathComponent(name)
  }

  enum Outcome: String {
    case written, unchanged
  }

  /// - Throws: ``Failure`` if something else is in the way or the model cannot be written; an existing model then stays
  ///   unchanged.
  func write(_ model: CompiledModel) throws -> Outcome {
    if ["mom", "momd"].contains(folder.pathExtension) {
      throw Failure(
        folder, line: nil, "the output of --format mom is the folder that the model is written into",
        remedy: "leave out \(quoted(folder.lastPathComponent))")
    }
    FileDrafts.removeAbandoned(in: folder)
    if let type = type(of: url) {
      if contents(of: url, type) == model.files { return .unchanged }
      try checkThatItMayGo(type, model)
    }
    let drafts = try FileDrafts(in: folder)
    let draft = drafts.add(url.lastPathComponent)
    do {
      if model.isBundle {
        try FileManager.default.createDirectory(at: draft, withIntermediateDirectories: false)
        for (name, data) in model.files { try data.write(to: draft.appendingPathComponent(name)) }
      } else {
        for data in model.files.values { try data.write(to: draft) }
      }
    } catch {
      throw Failure(
        url, line: nil, "the compiled model cannot be written: \(Failure.reason(error))",
        remedy: "make the folder writable and see that the disk has room")
    }
    try drafts.commit()
    return .written
  }

  /// Allows the replacement only of a compiled model, which can be made again, and never of the model that was read.
  private func checkThatItMayGo(_ type: FileAttributeType, _ model: CompiledModel) throws {
    let remedy = "move it away or choose another output folder"
    if let input, FilePlace.leads(input.path, into: url.path) {
      throw Failure(
        url, line: nil, "it is the model that is read, and would be replaced", remedy: "choose another output folder")
    }
    if type == .typeDirectory, model.isBundle {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? [""]
      let strangers = names.filter { name in
        name != VersionInfo.fileName && !name.hasSuffix(".mom") && !name.hasSuffix(".omo")
      }
      guard let stranger = strangers.min() else { return }
      throw Failure(url, line: nil, "the folder is no compiled model: it holds \(quoted(stranger))", remedy: remedy)
    }
    let isArchive = (try? url.bytes(limit: 8)) == Data("bplist00".utf8)
    guard type == .typeRegular, !model.isBundle, isArchive else {
      throw Failure(url, line: nil, "it is no compiled model, but stands where one is to be written", remedy: remedy)
    }
  }

  /// The type of the file at the path, without following a link; `nil` if there is no file.
  private func type(of url: URL) -> FileAttributeType? {
    (try? FileManager.default.attributesOfItem(atPath: url.path))?[.type] as? FileAttributeType
  }

  private func contents(of url: URL, _ type: FileAttributeType) -> [String: Data]? {
    if type == .typeRegular { return (try? Data(contentsOf: url)).map { [url.lastPathComponent: $0] } }
    guard type == .typeDirectory, let names = try? FileManager.default.contentsOfDirectory(atPath: url.path) else {
      return nil
    }
    var contents: [String: Data] = [:]
    for name in names {
      let file = url.appendingPathComponent(name)
      guard self.type(of: file) == .typeRegular, let data = try? Data(contentsOf: file) else { return nil }
      contents[name] = data
    }
    return contents
  }
}
