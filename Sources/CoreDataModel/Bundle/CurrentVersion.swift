import ErrorReporting
import Foundation
import ManagedModel

/// Reads the name of a bundle's current version from its property list, `.xccurrentversion`.
enum CurrentVersion {
  static let fileName = ".xccurrentversion"

  /// The file name of the current version; `nil` if the list names none.
  /// - Throws: ``XMLError``.
  static func name(in bytes: Data) throws(XMLError) -> String? {
    var limits = XMLLimits.standard
    limits.bytes = 64 << 10
    let root = try XMLReader.read(bytes, documentType: .skipped, limits: limits)
    guard let list = root.children.first(where: { $0.name == "dict" }) else { return nil }
    let position = list.children.firstIndex { $0.name == "key" && $0.text == "_XCCurrentVersionName" }
    guard let position, list.children.indices.contains(position + 1) else { return nil }
    let value = list.children[position + 1]
    return value.name == "string" && !value.text.isEmpty ? value.text : nil
  }
}

extension ModelFolder {
  /// Chooses the current version of the bundle. Without a usable record it takes the last version and adds a warning.
  ///
  /// A bundle of one version gets no warning for a missing or empty record, because Xcode itself writes none there.
  func currentVersion(
    of versions: [ModelFolder], isRecorded: Bool
  ) -> (name: String, diagnostics: [Diagnostic]) {
    let last = versions.last?.name ?? ""
    let record = file(CurrentVersion.fileName)
    func fallBack(_ problem: String, file: ModelFolder, line: Int = 1) -> (name: String, diagnostics: [Diagnostic]) {
      let warning = Diagnostic(
        .warning, file: file.path, line: line, problem: problem,
        remedy: "choose the current version in Xcode; \(quoted(last)) was taken")
      return (last, [warning])
    }

    guard isRecorded else {
      return versions.count == 1 ? (last, []) : fallBack("the bundle does not record its current version", file: self)
    }
    do {
      guard let name = try CurrentVersion.name(in: record.bytes(limit: 64 << 10)) else {
        return versions.count == 1 ? (last, []) : fallBack("the list names no current version", file: record)
      }
      if let version = versions.first(where: { $0.url.lastPathComponent == name }) { return (version.name, []) }
      let nearest = nearestName(to: name, in: versions.map(\.url.lastPathComponent))
      return fallBack(
        "the current version \(quoted(name)) is not in the bundle\(suggestion(nearest))", file: record)
    } catch let error as XMLError {
      return fallBack(error.problem, file: record, line: error.line)
    } catch {
      return fallBack("the list of the current version cannot be read", file: record)
    }
  }
}
