import ErrorReporting
import Foundation
import ModelGenerator
import ToolConsole

extension OutputFolder {
  /// Warnings about steps of the developer's that name a schema which is generated no more, so that they do not compile.
  ///
  /// These are the files that begin with the migration plan's name. A schema whose file stays in the folder is no reason.
  /// - Parameter prunes: whether the orphans' files go.
  func strandedSteps(_ survey: Survey, prunes: Bool) -> [Message] {
    let generated = Set(survey.entries.map(\.file.name))
    guard let plan = generated.first(where: { $0.hasSuffix("MigrationPlan.swift") })?.dropLast(".swift".count) else {
      return []
    }
    let schema = plan.dropLast("MigrationPlan".count) + "SchemaV"
    let orphans = Set(survey.orphans.map(\.name))
    func isGone(_ schema: String) -> Bool {
      let name = "\(schema).swift"
      guard !generated.contains(name) else { return false }
      return prunes && orphans.contains(name) || !FileManager.default.fileExists(atPath: place(name).path)
    }
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
    let steps = entries.sorted().filter { $0.hasPrefix("\(plan)+") && $0.hasSuffix(".swift") && !orphans.contains($0) }
    return steps.compactMap { step in
      guard let text = try? String(contentsOf: place(step), encoding: .utf8) else { return nil }
      let named = Set(text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
      let gone = named.filter {
        $0.hasPrefix(schema) && $0.dropFirst(schema.count).allSatisfy(\.isNumber) && isGone($0)
      }
      guard !gone.isEmpty else { return nil }
      let list = abbreviatedList(gone.sorted().map(quoted))
      return Message(
        severity: .warning, file: place(step).path,
        problem: "the step names \(list), which \(gone.count == 1 ? "is" : "are") generated no more",
        remedy: "delete the file, or generate the version again")
    }
  }
}
