import ArgumentParser

/// Looks into Core Data and SwiftData stores.
@main
struct StoreTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store-tool", abstract: "Looks into Core Data and SwiftData stores, without changing them.",
    subcommands: [Inspect.self, Check.self])
}
