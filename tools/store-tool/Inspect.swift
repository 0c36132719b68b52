import ArgumentParser
import CoreDataStore
import Foundation
import ToolConsole

/// `store-tool inspect STORE`
struct Inspect: StoreCommand {
  static let configuration = CommandConfiguration(
    abstract: "Says what is in a store: entities, numbers of objects, versions, history.")

  @Argument(help: "The store's file.") var store: String
  @Flag(help: "Print JSON.") var json = false

  func perform() throws {
    let summary = try StoreSummary.read(URL(fileURLWithPath: store))
    if json { try Console.print(json: summary) } else { try Console.print(Inspect.text(summary)) }
  }

  static func text(_ summary: StoreSummary) -> String {
    var lines = [
      summary.path,
      "identifier         \(summary.identifier)",
      "framework version  \(summary.frameworkVersion)",
      "model version      \(summary.versionIdentifiers.filter { !$0.isEmpty }.joined(separator: ", "))",
    ]
    if let history = summary.history {
      let latest = history.latest.map { ", the last on \($0.ISO8601Format())" } ?? ""
      lines.append("history            \(history.transactions) transactions, \(history.changes) changes\(latest)")
    } else {
      lines.append("history            none")
    }
    let rows = summary.entities.map { entity in
      [
        "\(entity.number)", entity.name, entity.superentity ?? "", entity.isAbstract ? "abstract" : "\(entity.count)",
        entity.table, "\(entity.attributes)", "\(entity.relationships)",
      ]
    }
    let head = ["Z_ENT", "entity", "superentity", "objects", "table", "attributes", "relationships"]
    return (lines + [""] + TextTable(header: head, rows: rows).lines(styled: .output)).joined(separator: "\n")
  }
}
