import Foundation

/// A model bundle, or a single model, among the sources of a target.
struct ModelFolder {
  let url: URL

  /// The folder's name without its extension.
  var name: String { url.deletingPathExtension().lastPathComponent }
  private var isBundle: Bool { url.pathExtension == "xcdatamodeld" }

  /// The models among the source files. The package manager may list a folder as one file, or list the files in it.
  /// - Throws: ``PluginError`` if the generated names of two models would begin alike, because their source is in one
  ///   module.
  static func all(among sources: [URL]) throws -> [ModelFolder] {
    var paths: Set<String> = []
    for source in sources {
      let components = source.pathComponents
      let ends = [".xcdatamodeld", ".xcdatamodel"].compactMap { end in components.firstIndex { $0.hasSuffix(end) } }
      if let end = ends.first { paths.insert(NSString.path(withComponents: Array(components[...end]))) }
    }
    let models = paths.sorted().map { ModelFolder(url: URL(filePath: $0, directoryHint: .isDirectory)) }
    var taken: [String: ModelFolder] = [:]
    for model in models {
      if let other = taken.updateValue(model, forKey: try model.typeName().lowercased()) {
        throw PluginError(
          "\(model.url.path): the names generated from it and from \(other.url.path) would be the same — rename one of them"
        )
      }
    }
    return models
  }

  /// The files that the source is generated from. A change of any of them generates the source again.
  func inputFiles() throws -> [URL] {
    let record = isBundle ? [url.appending(path: ".xccurrentversion")] : []
    let files = record + (try versions().map { $0.appending(path: "contents") })
    return [url] + files.filter { FileManager.default.fileExists(atPath: $0.path) }
  }

  /// The files that generate-models makes from the model: one per version, the migration plan, and the aliases.
  func generatedFileNames() throws -> [String] {
    let prefix = try typeName()
    return try versions().indices.map { "\(prefix)SchemaV\($0 + 1).swift" }
      + ["\(prefix)MigrationPlan.swift", "\(prefix)Models.swift"]
  }

  private func versions() throws -> [URL] {
    guard isBundle else { return [url] }
    let entries = try FileManager.default.contentsOfDirectory(atPath: url.path)
    return entries.filter { $0.hasSuffix(".xcdatamodel") }.sorted().map { url.appending(path: $0) }
  }

  /// The prefix of generated names: the words of the model's name, each with a capital letter.
  private func typeName() throws -> String {
    let isPlain = name.utf8.allSatisfy { $0 < 0x80 } && name.count <= 100
    let words = name.split { !($0.isLetter || $0.isNumber || $0 == "_") }
    guard isPlain, let first = words.first?.first, first.isLetter else {
      throw PluginError(
        "\(url.path): the bundle's name is none that Swift names can begin with — give it one of letters from A to Z, "
          + "or keep its generated source in the package with “swift package generate-models”")
    }
    return words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}

struct PluginError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
