import Foundation
import PackagePlugin

/// Generates SwiftData source at build time from the model bundles among a target's sources.
///
/// Bundles are `.xcdatamodeld` and `.xcdatamodel` folders that the manifest does not exclude. A custom stage of a
/// migration plan is a source file of the program; `generate-models` writes its first version.
@main
struct GenerateModelsPlugin: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    guard let target = target as? any SourceModuleTarget else { return [] }
    let options = try GeneratorOptions(in: target.directoryURL)
    let tool = try context.tool(named: "generate-models").url
    let models = try ModelFolder.all(among: target.sourceFiles.map(\.url))
    return try models.map { model in
      let output = context.pluginWorkDirectoryURL.appending(path: model.name, directoryHint: .isDirectory)
      return .buildCommand(
        displayName: "Generating Swift from \(model.url.lastPathComponent)",
        executable: tool,
        arguments: [model.url.path, "--output", output.path] + options.arguments(forBundle: model.name),
        inputFiles: try model.inputFiles() + options.file,
        outputFiles: try model.generatedFileNames().map { output.appending(path: $0) })
    }
  }
}
