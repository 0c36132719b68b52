import Foundation

/// What a target wants of the generator, in an optional file `generate-models.json` in the target's folder:
/// `{ "access": "public", "dialect": "open" }`.
struct GeneratorOptions {
  /// The file, if there is one.
  let file: [URL]
  /// As generate-models takes them, which checks the values.
  let arguments: [String]

  private static let names = ["access", "dialect"]

  init(in folder: URL) throws {
    let url = folder.appending(path: "generate-models.json")
    guard FileManager.default.fileExists(atPath: url.path) else {
      (file, arguments) = ([], [])
      return
    }
    guard let values = try? JSONDecoder().decode([String: String].self, from: Data(contentsOf: url)) else {
      throw PluginError("\(url.path): the file is no JSON object of strings — write { \"access\": \"public\" }")
    }
    if let unknown = values.keys.sorted().first(where: { !Self.names.contains($0) }) {
      throw PluginError(
        "\(url.path): “\(unknown)” is no option — choose among \(Self.names.joined(separator: " and "))")
    }
    file = [url]
    arguments = values.sorted { $0.key < $1.key }.flatMap { ["--\($0.key)", $0.value] }
  }
}
