import ArgumentParser
import ErrorReporting
import Foundation
import ModelGenerator
import ToolConsole

/// Compares a folder with the output of the generator, and changes nothing.
struct CheckCommand {
  var source: ModelSource
  var output: URL
  var options: ModelGenerator.Options
  var isJSON: Bool

  /// Prints the differences as a patch that brings the folder up to date.
  /// - Throws: `ExitCode(1)` if anything differs; `ExitCode(2)` if nothing does and the output cannot be written; ``Failure`` if the
  ///   input is wrong.
  func run() throws {
    let input = try source.read(reporting: !isJSON)
    let generated = try source.generate(input, options: options)
    let folder = OutputFolder(output, source: input.versions.source)
    let survey = try folder.survey(generated.files)
    let obstacles = folder.obstacles(of: survey)
    let stranded = folder.strandedSteps(survey, prunes: true)
    let differences = try survey.entries.compactMap(difference) + survey.orphans.map(difference)
    var printing = VerdictOutput()
    if isJSON {
      try printing.print {
        try Console.write(
          JSONText.encode(
            CheckDocument(
              differences: differences, stranded: stranded,
              diagnostics: input.diagnostics + generated.diagnostics + obstacles)))
      }
    } else {
      try printing.print { for difference in differences { try Console.write(difference.patch.text(styled: .output)) } }
      Console.report(obstacles + stranded)
      if !differences.isEmpty { Console.say(verdict(differences, of: survey)) }
    }
    let status = printing.end(differences.isEmpty && stranded.isEmpty ? 0 : 1)
    if status != 0 { throw ExitCode(status) }
  }

  /// A file that differs from the output of the generator.
  struct Difference {
    enum Kind: String, Encodable {
      case missing, outdated, foreign, orphaned
    }

    var name: String
    var kind: Kind
    var patch: UnifiedDiff
  }

  private func difference(_ entry: OutputFolder.Entry) throws -> Difference? {
    switch entry.state {
    case .upToDate, .kept: nil
    case .absent: difference(entry.file.name, .missing, from: nil, to: Data(entry.file.contents.utf8))
    case .outdated(let old): difference(entry.file.name, .outdated, from: old, to: Data(entry.file.contents.utf8))
    case .foreign(let old): difference(entry.file.name, .foreign, from: old, to: Data(entry.file.contents.utf8))
    case .inTheWay(let what):
      throw Failure(
        output.appendingPathComponent(entry.file.name), what, remedy: "move it away or choose another output folder")
    }
  }

  private func difference(_ orphan: OutputFolder.Orphan) -> Difference {
    difference(orphan.name, .orphaned, from: orphan.contents, to: nil)
  }

  private func difference(_ name: String, _ kind: Difference.Kind, from old: Data?, to new: Data?) -> Difference {
    let path = patchPath(name)
    return Difference(
      name: name, kind: kind,
      patch: UnifiedDiff(from: .init(path: path, contents: old), to: .init(path: path, contents: new)))
  }

  /// The file's path relative to the working directory, so that `patch -p1` finds it; for a file outside of it, the
  /// path from the root.
  private func patchPath(_ name: String) -> String {
    let here = URL(fileURLWithPath: FileManager.default.currentDirectoryPath).standardizedFileURL.path
    let path = output.standardizedFileURL.appendingPathComponent(name).path
    let root = here.hasSuffix("/") ? here : here + "/"
    return String(path.hasPrefix(root) ? path.dropFirst(root.count) : path.drop { $0 == "/" })
  }

  private func verdict(_ differences: [Difference], of survey: OutputFolder.Survey) -> String {
    let parts = [Difference.Kind.missing, .outdated, .foreign, .orphaned].compactMap { kind -> String? in
      let count = differences.count { $0.kind == kind }
      return count > 0 ? "\(count) \(kind == .foreign ? "not generated" : kind.rawValue)" : nil
    }
    let remedy =
      differences.contains { $0.kind == .orphaned }
      ? "generate again with --prune, which removes orphaned files" : "generate again"
    return
      "\(onOneLine(output.relativePath)): \(differences.count) of \(survey.entries.count + survey.orphans.count) files "
      + "differ (\(parts.joined(separator: ", "))) — \(remedy)"
  }
}

/// The document of `--check --json`.
struct CheckDocument: Encodable {
  let formatVersion = 1
  let isUpToDate: Bool
  let files: [File]
  let diagnostics: [DiagnosticDocument]

  struct File: Encodable {
    let name: String
    let state: CheckCommand.Difference.Kind
    let diff: String
  }

  init(differences: [CheckCommand.Difference], stranded: [Message], diagnostics: [Message]) {
    isUpToDate = differences.isEmpty && stranded.isEmpty
    files = differences.map {
      File(name: $0.name, state: $0.kind, diff: String(decoding: $0.patch.text(styled: .plain), as: UTF8.self))
    }
    self.diagnostics = (diagnostics + stranded).map(DiagnosticDocument.init)
  }
}
