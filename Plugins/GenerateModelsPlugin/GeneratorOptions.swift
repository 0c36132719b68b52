import Foundation

/// The generator's options for a target, from an optional file `generate-models.json` in the target's folder: `{
/// "access": "public", "dialect": "open" }`.
struct GeneratorOptions {
  /// The file, if there is one.
  let file: [URL]
  /// The command-line arguments for generate-models.
  let arguments: [String]

  /// The options and the values that each may have.
  static let choices = ["access": ["internal", "package", "public"], "dialect": ["open", "apple"]]

  init(in folder: URL) throws {
    let url = folder.appending(path: "generate-models.json")
    guard FileManager.default.fileExists(atPath: url.path) else {
      (file, arguments) = ([], [])
      return
    }
    guard let values = try? JSONDecoder().decode([String: String].self, from: Data(contentsOf: url)) else {
      throw PluginError("\(url.path): the file is no JSON object of strings — write { \"access\": \"public\" }")
    }
    file = [url]
    arguments = try values.sorted { $0.key < $1.key }.flatMap { name, value in
      guard let choices = Self.choices[name] else {
        throw PluginError("\(url.path): “\(name)” is no option — choose among \(Self.choices.keys.sorted().listed)")
      }
      guard choices.contains(value) else {
        throw PluginError("\(url.path): “\(name)” cannot be “\(value)” — choose among \(choices.listed)")
      }
      return ["--\(name)", value]
    }
  }
}

extension [String] {
  fileprivate var listed: String { map { "“\($0)”" }.joined(separator: ", ") }
}
