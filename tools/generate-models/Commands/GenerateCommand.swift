import ErrorReporting
import Foundation
import ModelGenerator
import ToolConsole

/// Writes the source of the chosen versions into a folder.
struct GenerateCommand {
  var source: ModelSource
  var output: URL
  var options: ModelGenerator.Options
  /// Whether the command removes orphans.
  var prunes: Bool
  /// Whether the command changes nothing and only reports the changes it would make.
  var isTrial: Bool

  /// - Throws: ``Failure`` if the input is wrong or the folder cannot be written.
  func run() throws {
    let input = try source.read()
    let generated = try source.generate(input, options: options)
    Console.report(generated.diagnostics)
    let folder = OutputFolder(output, source: input.versions.source)
    let lock = isTrial ? nil : FolderLock(output)
    defer { withExtendedLifetime(lock) {} }
    let survey = try folder.survey(generated.files)
    let obstacles = folder.obstacles(of: survey)
    guard obstacles.isEmpty else { throw Failure(obstacles) }
    let stranded = folder.strandedSteps(survey, prunes: prunes)
    Console.report(stranded)
    if isTrial { return try Console.print(trial(survey)) }
    try Progress.shared.during("writing \(survey.entries.count) files") { try folder.write(survey) }
    if prunes { try folder.prune(survey) } else { Console.report(warnings(survey, in: folder)) }
    Console.noteSaved("the files are written to \(output.path)")
    try Console.print(summary(survey))
  }

  private func warnings(_ survey: OutputFolder.Survey, in folder: OutputFolder) -> [Message] {
    survey.orphans.map { orphan in
      Message(
        severity: .warning, file: folder.place(orphan.name).path,
        problem: "no selected version generates this file any more",
        remedy: "delete it, or run with --prune, unless something still needs it")
    }
  }

  private func summary(_ survey: OutputFolder.Survey) -> String {
    let count = Counts(survey)
    var parts = ["\(count.written) written"]
    if count.unchanged > 0 { parts.append("\(count.unchanged) unchanged") }
    if count.kept > 0 { parts.append("\(count.kept) of yours kept") }
    if prunes, !survey.orphans.isEmpty { parts.append("\(survey.orphans.count) removed") }
    parts.insert(counted(survey.entries.count, "file"), at: 0)
    return "\(onOneLine(output.path)): \(parts.joined(separator: ", "))"
  }

  private func trial(_ survey: OutputFolder.Survey) -> String {
    var lines = survey.entries.map { entry -> String in
      let verb =
        switch entry.state {
        case .absent: "write"
        case .outdated, .foreign, .inTheWay: "replace"
        case .upToDate: "leave"
        case .kept: "keep"
        }
      return "\(verb.padding(toLength: 8, withPad: " ", startingAt: 0))\(onOneLine(entry.file.name))"
    }
    lines += survey.orphans.map { "\(prunes ? "remove  " : "orphan  ")\(onOneLine($0.name))" }
    return lines.joined(separator: "\n")
  }

  private struct Counts {
    var written = 0
    var unchanged = 0
    var kept = 0

    init(_ survey: OutputFolder.Survey) {
      for entry in survey.entries {
        switch entry.state {
        case .absent, .outdated: written += 1
        case .upToDate: unchanged += 1
        case .kept: kept += 1
        case .foreign, .inTheWay: break
        }
      }
    }
  }
}
