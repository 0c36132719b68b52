import Foundation

/// The generator's options for a target, from an optional file `generate-models.json` in the target's folder: `{
/// "access": "public", "dialect": "open", "order": { "Trips": ["Trips", "Trips 2026"] } }`.
struct GeneratorOptions {
  /// The file, if there is one.
  let file: [URL]
  /// The command-line arguments for generate-models, for every bundle.
  let arguments: [String]
  /// The versions of bundles, the oldest first, by the bundle's name without its extension.
  let orders: [String: [String]]

  /// The options and the values that each may have.
  static let choices = ["access": ["internal", "package", "public"], "dialect": ["open", "apple"]]

  init(in folder: URL) throws {
    let url = folder.appending(path: "generate-models.json")
    guard FileManager.default.fileExists(atPath: url.path) else {
      (file, arguments, orders) = ([], [], [:])
      return
    }
    guard let values = try? JSONDecoder().decode([String: Value].self, from: Data(contentsOf: url)) else {
      throw PluginError("\(url.path): the file is no JSON object of strings — write { \"access\": \"public\" }")
    }
    file = [url]
    switch values["order"] {
    case nil: orders = [:]
    case .lists(let lists)?: orders = lists
    case .text?:
      throw PluginError(
        "\(url.path): “order” is no list of versions for each bundle — write { \"order\": { \"Trips\": [\"Trips\", \"Trips 2\"] } }"
      )
    }
    arguments = try values.filter { $0.key != "order" }.sorted { $0.key < $1.key }.flatMap { name, value in
      guard case .text(let value) = value else {
        throw PluginError("\(url.path): “\(name)” is no text — write { \"access\": \"public\" }")
      }
      guard let choices = Self.choices[name] else {
        throw PluginError(
          "\(url.path): “\(name)” is no option — choose among \((Self.choices.keys + ["order"]).sorted().listed)")
      }
      guard choices.contains(value) else {
        throw PluginError("\(url.path): “\(name)” cannot be “\(value)” — choose among \(choices.listed)")
      }
      return ["--\(name)", value]
    }
  }

  /// The arguments for one bundle, with the order of its versions.
  func arguments(forBundle name: String) -> [String] {
    arguments + (orders[name] ?? []).flatMap { ["--order", $0] }
  }

  private enum Value: Decodable {
    case text(String)
    case lists([String: [String]])

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let text = try? container.decode(String.self) {
        self = .text(text)
      } else {
        self = .lists(try container.decode([String: [String]].self))
      }
    }
  }
}

extension [String] {
  fileprivate var listed: String { map { "“\($0)”" }.joined(separator: ", ") }
}
