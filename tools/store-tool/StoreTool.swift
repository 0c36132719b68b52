import ArgumentParser

/// Looks into Core Data and SwiftData stores, and carries what is in them to and fro.
@main
struct StoreTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store-tool",
    abstract: "Looks into Core Data and SwiftData stores, and carries what is in them to and fro.",
    subcommands: [Inspect.self, Check.self, Dump.self, Import.self, Export.self, Diff.self, Query.self])
}
