import ArgumentParser
import CoreDataStore
import Foundation
import ToolConsole

/// `store-tool check STORE…`
struct Check: StoreCommand {
  static let configuration = CommandConfiguration(
    abstract: "Checks stores against their own model and the format.",
    discussion: "Exit status 1 if anything was found, 2 if a store cannot be opened.")

  @Argument(help: "The stores' files.") var stores: [String]
  @Option(help: "The .xcdatamodeld bundle of stores that carry no model of their own.")
  var model: String?
  @Flag(help: "Print JSON.") var json = false

  /// What became of one store.
  struct Report: Encodable {
    let store: String
    var findings: [Finding] = []
    var error: String?
  }

  struct Finding: Encodable {
    let fact: String
    let subject: String
    let problem: String
  }

  func perform() throws {
    let models = try CandidateModels(path: model)
    let reports = stores.map { path in
      do {
        let findings = try models.check(URL(fileURLWithPath: path))
        return Report(
          store: path,
          findings: findings.map { Finding(fact: $0.fact, subject: $0.subject, problem: $0.problem) })
      } catch { return Report(store: path, error: "\(error)") }
    }
    if json {
      try Console.print(json: reports)
    } else {
      for report in reports { try Check.printText(report) }
    }
    if reports.contains(where: { $0.error != nil }) { throw ExitCode(2) }
    if reports.contains(where: { !$0.findings.isEmpty }) { throw ExitCode(1) }
  }

  private static func printText(_ report: Report) throws {
    if let error = report.error {
      Console.report([Message(severity: .error, file: "store-tool", line: nil, what: onOneLine(error))])
      return
    }
    for finding in report.findings {
      try Console.print(
        "\(report.store): \(finding.fact) \(onOneLine(finding.subject)): \(onOneLine(finding.problem))")
    }
    try Console.print(
      "\(report.store): \(report.findings.isEmpty ? "nothing found" : "\(report.findings.count) findings")")
  }
}
