import Foundation
import TestSupport

/// What this package's build left that generated source can be compiled against: modules, objects, the macro plug-in.
///
/// Calling the compiler on it, with the flags a package would give, takes seconds where a temporary package with a
/// dependency on this one would first build all of this one again, swift-syntax among it: five minutes and more.
struct BuildProducts: Sendable {
  /// The folder that the test bundle lies in.
  let folder: URL
  let generator: URL
  let plugin: URL

  /// Everything for this package's modules to be imported; also for those of C that they import.
  let moduleFlags: [String]
  /// The library and all it is made of.
  let linkFlags: [String]

  static let shared = BuildProducts()
  static let explanation = "needs generate-models, library-demo and the macro plug-in beside the test bundle"

  /// Flags for builds that have their dependencies elsewhere.
  private static let furtherFlags = (ProcessInfo.processInfo.environment["OPENSWIFTDATA_SWIFTC_FLAGS"] ?? "")
    .split(separator: " ").map(String.init)

  private init?() {
    let folders = ProcessInfo.processInfo.arguments.map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
    let found = folders.first {
      FileManager.default.isExecutableFile(atPath: $0.appendingPathComponent("generate-models").path)
    }
    guard let folder = found, let plugin = Self.plugin(in: folder),
      let objects = Self.libraryObjects(in: folder, list: "library-demo.product/Objects.LinkFileList")
    else { return nil }
    self.folder = folder
    self.plugin = plugin
    generator = folder.appendingPathComponent("generate-models")
    let scratch = folder.deletingLastPathComponent().deletingLastPathComponent()
    let maps =
      Self.files(in: Fixtures.packageRoot.appendingPathComponent("Sources"), depth: 2, named: "module.modulemap")
      + Self.files(in: scratch.appendingPathComponent("checkouts"), depth: 5, named: "module.modulemap")
      + Self.files(in: folder, depth: 2, named: "module.modulemap")
    moduleFlags =
      ["-I", folder.appendingPathComponent("Modules").path]
      + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
      + ["-load-plugin-executable", "\(plugin.path)#SwiftDataMacros"] + Self.furtherFlags
    linkFlags =
      objects + Self.furtherFlags.filter { $0.lowercased().hasPrefix("-l") } + ["-lsqlite3", "-lz", "-lstdc++"]
  }

  /// The plug-in, built for release where it has been since its sources changed: it expands some ten times as fast.
  private static func plugin(in folder: URL) -> URL? {
    if let path = ProcessInfo.processInfo.environment["OPENSWIFTDATA_MACRO_PLUGIN"] {
      return URL(fileURLWithPath: path)
    }
    let name = "SwiftDataMacros-tool"
    let release = folder.deletingLastPathComponent().appendingPathComponent("release").appendingPathComponent(name)
    let debug = folder.appendingPathComponent(name)
    let sources = Fixtures.packageRoot.appendingPathComponent("Sources/SwiftDataMacros")
    let newest = files(in: sources, depth: 1, named: nil).compactMap { modified($0) }.max()
    if let built = modified(release), let newest, built > newest { return release }
    return modified(debug) == nil ? nil : debug
  }

  /// The objects that another program of the library is linked from, its own left out.
  private static func libraryObjects(in folder: URL, list: String) -> [String]? {
    guard let text = try? String(contentsOf: folder.appendingPathComponent(list), encoding: .utf8) else { return nil }
    return text.split(separator: "\n").map { $0.trimmingCharacters(in: ["'", "\""]) }
      .filter { !$0.contains("/library_demo.build/") }
  }

  private static func modified(_ url: URL) -> Date? {
    try? FileManager.default.attributesOfItem(atPath: url.path)[.modificationDate] as? Date
  }

  private static func files(in folder: URL, depth: Int, named name: String?) -> [URL] {
    guard depth > 0 else { return [] }
    let entries =
      (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.isDirectoryKey])) ?? []
    return entries.sorted { $0.path < $1.path }.flatMap { entry in
      if (try? entry.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true {
        return files(in: entry, depth: depth - 1, named: name)
      }
      return name == nil || entry.lastPathComponent == name ? [entry] : []
    }
  }
}
