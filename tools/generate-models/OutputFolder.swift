import Foundation
import ModelGenerator

/// The folder that generated files are written to.
///
/// All files are first written beside their places under other names, and only when that has worked for all of them
/// are they moved to their places, each in one step.
struct OutputFolder {
  let url: URL
  /// The bundle's file name, by which the folder's earlier files are known.
  private let source: String

  init(_ url: URL, source: String) {
    self.url = url
    self.source = source
  }

  struct Summary: CustomStringConvertible {
    var folder: String
    var written: [String] = []
    var unchanged: [String] = []
    /// Files of people that were there already.
    var kept: [String] = []
    var orphans: [Message] = []

    var description: String {
      var parts = ["\(written.count) written"]
      if !unchanged.isEmpty { parts.append("\(unchanged.count) unchanged") }
      if !kept.isEmpty { parts.append("\(kept.count) of yours kept") }
      let count = written.count + unchanged.count + kept.count
      return "\(folder): \(count) files, \(parts.joined(separator: ", "))"
    }
  }

  /// - Throws: ``Failure`` before anything has changed if a file is in the way or cannot be written.
  func write(_ files: [GeneratedFile]) throws -> Summary {
    var summary = Summary(folder: url.path)
    var changed: [GeneratedFile] = []
    var obstacles: [Message] = []
    for file in files {
      switch try state(of: file) {
      case .absent, .outdated: changed.append(file)
      case .upToDate: summary.unchanged.append(file.name)
      case .kept: summary.kept.append(file.name)
      case .inTheWay(let message): obstacles.append(message)
      }
    }
    guard obstacles.isEmpty else { throw Failure(obstacles) }
    try replace(changed)
    summary.written = changed.map(\.name)
    summary.orphans = orphans(beside: Set(files.map(\.name)))
    return summary
  }

  private enum State {
    case absent, upToDate, outdated, kept
    case inTheWay(Message)
  }

  private func state(of file: GeneratedFile) throws -> State {
    let place = url.appendingPathComponent(file.name)
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: place.path) else { return .absent }
    guard attributes[.type] as? FileAttributeType == .typeRegular else {
      return .inTheWay(message(place, "it is not a file, but stands where one is to be generated"))
    }
    if file.ownership == .developer { return .kept }
    guard let contents = try? Data(contentsOf: place) else {
      return .inTheWay(message(place, "the file cannot be read, so whether it may be replaced is unknown"))
    }
    if contents == Data(file.contents.utf8) { return .upToDate }
    guard contents.starts(with: Data(GeneratedFile.marker.utf8)) else {
      return .inTheWay(message(place, "the file was not generated, or its first line was changed; it is not replaced"))
    }
    return .outdated
  }

  private func message(_ place: URL, _ what: String) -> Message {
    Message(severity: .error, file: place.path, what: what, remedy: "move it away or choose another output folder")
  }

  private func replace(_ files: [GeneratedFile]) throws {
    guard !files.isEmpty else { return }
    let manager = FileManager.default
    do {
      try manager.createDirectory(at: url, withIntermediateDirectories: true)
    } catch {
      throw Failure(url, "the output folder cannot be made: \(reason(error))", remedy: "choose another output folder")
    }
    let suffix = ".\(ProcessInfo.processInfo.processIdentifier).partial"
    let drafts = files.map { url.appendingPathComponent(".\($0.name)\(suffix)") }
    do {
      for (file, draft) in zip(files, drafts) { try Data(file.contents.utf8).write(to: draft) }
      for (file, draft) in zip(files, drafts) {
        let place = url.appendingPathComponent(file.name)
        guard rename(draft.path, place.path) == 0 else {
          throw CocoaError(.fileWriteUnknown, userInfo: [NSLocalizedDescriptionKey: String(cString: strerror(errno))])
        }
      }
    } catch {
      for draft in drafts { try? manager.removeItem(at: draft) }
      throw Failure(
        url, "the files cannot be written: \(reason(error))",
        remedy: "make the folder writable and see that the disk has room")
    }
  }

  /// Files that an earlier run made from the same bundle and that this one did not make.
  private func orphans(beside names: Set<String>) -> [Message] {
    let marker = Data("\(GeneratedFile.marker)\(source). ".utf8)
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
    return entries.sorted().filter { $0.hasSuffix(".swift") && !names.contains($0) }.compactMap { name in
      let place = url.appendingPathComponent(name)
      guard let handle = try? FileHandle(forReadingFrom: place) else { return nil }
      defer { try? handle.close() }
      guard let start = try? handle.read(upToCount: marker.count), start == marker else { return nil }
      return Message(
        severity: .warning, file: place.path, what: "the file was generated once and is not any more",
        remedy: "delete it unless something still needs it")
    }
  }

  private func reason(_ error: any Error) -> String {
    (error as NSError).localizedDescription
  }
}
