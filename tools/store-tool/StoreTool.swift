import ArgumentParser

/// Looks into Core Data and SwiftData stores, and carries what is in them to and fro.
@main
struct StoreTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store-tool",
    abstract: "Looks into Core Data and SwiftData stores, and carries what is in them to and fro.",
    discussion: """
      EXIT CODES
        0    done
        1    check found errors, diff found differences
        2    failed: the message on standard error says where, why and what to do
        64   the command line is wrong
        130  interrupted (143 by kill, 129 by a closed terminal)
        141  whoever read the output had enough
      """,
    subcommands: [Inspect.self, Check.self, Dump.self, Import.self, Export.self, Diff.self, Query.self])
}
