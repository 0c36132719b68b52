import Foundation
import PackagePlugin

/// `swift package generate-models [--target NAME]… [flags of generate-models]`: generates source into the package.
///
/// The files of each bundle go into a folder `Generated` beside it.
/// Without `--target`, the command generates from the bundles that the manifest excludes from their targets. The
/// build-tool plug-in generates from the remaining bundles.
/// With `--target`, the command generates from all bundles of the named targets. Do not apply the build-tool plug-in to
/// these targets.
@main
struct GenerateModelsCommand: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) throws {
    var extractor = ArgumentExtractor(arguments)
    let names = extractor.extractOption(named: "target")
    if arguments.last == "--target" {
      Diagnostics.error("“--target” needs the name of a target after it")
      return
    }
    let flags = extractor.remainingArguments
    let targets =
      try names.isEmpty ? context.package.targets : context.package.targets(named: names)
    let models = targets.compactMap { $0 as? any SourceModuleTarget }
      .flatMap { Self.models(of: $0, includingSources: !names.isEmpty) }
    guard !models.isEmpty else {
      Diagnostics.error(
        names.isEmpty
          ? "no target excludes a model bundle in Package.swift — exclude it, or name the target with --target"
          : "no model bundle is in the folder of \(names.joined(separator: ", ")) — put it there, or name another target"
      )
      return
    }
    let tool = try context.tool(named: "generate-models").url
    for model in models {
      let process = Process()
      process.executableURL = tool
      process.arguments = [model.path] + flags
      if !flags.contains(where: { $0 == "-o" || $0.hasPrefix("--output") }) {
        process.arguments? += ["--output", model.deletingLastPathComponent().appending(path: "Generated").path]
      }
      try process.run()
      process.waitUntilExit()
      if process.terminationStatus != 0 {
        Diagnostics.error("\(model.lastPathComponent): generate-models ended with \(process.terminationStatus)")
      }
    }
  }

  /// The bundles in a target's folder, and the models outside of bundles.
  private static func models(of target: any SourceModuleTarget, includingSources: Bool) -> [URL] {
    guard let walk = FileManager.default.enumerator(at: target.directoryURL, includingPropertiesForKeys: nil) else {
      return []
    }
    let sources = target.sourceFiles.map(\.url.path)
    var models: [URL] = []
    for case let url as URL in walk where ["xcdatamodeld", "xcdatamodel"].contains(url.pathExtension) {
      walk.skipDescendants()
      let isSource = sources.contains { $0 == url.path || $0.hasPrefix(url.path + "/") }
      if includingSources || !isSource { models.append(url) }
    }
    return models.sorted { $0.path < $1.path }
  }
}
