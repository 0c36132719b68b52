import Foundation
import TestSupport
import Testing

/// Everything that the built module and what it exports make public.
struct PublicSurface: Sendable {
  /// Declarations by `Type.member(labels:)`.
  private(set) var declarations: [String: [String]] = [:]
  /// Declarations by the type they stand in, or, of a type, by its own name; those in an extension of a protocol by `extension Name`.
  private(set) var signatures: [String: Set<PublicSignature>] = [:]
  /// The names of protocols by type.
  private(set) var conformances: [String: Set<String>] = [:]

  /// `Type.member`, without labels.
  var names: Set<String> {
    Set(declarations.keys.map { $0.split(separator: ".").map { $0.prefix { $0 != "(" } }.joined(separator: ".") })
  }

  /// Whether a declaration is that of a property with a setter.
  static func isSettable(_ declaration: String) -> Bool {
    declaration.contains("var ") && !declaration.hasSuffix("{ get }")
  }

  /// Types with their members: each line of a list begins with a type and a colon, one that begins with a blank goes on.
  static func entries(_ list: String) -> [(type: String, member: String)] {
    var entries: [(type: String, member: String)] = []
    var type = ""
    for line in list.split(separator: "\n") {
      var words = line.split(separator: " ").map(String.init)
      if line.first != " ", let first = words.first, first.hasSuffix(":") {
        type = String(first.dropLast())
        words.removeFirst()
        entries.append((type, ""))
      }
      entries += words.map { (type, $0) }
    }
    return entries
  }

  /// Asks the compiler once.
  static func read() async throws -> PublicSurface { try await shared.value }

  private static let shared = Task { try await extract() }

  private static func extract() async throws -> PublicSurface {
    let products = try #require(BuildProducts.shared)
    let output = try TemporaryStore()
    #if arch(arm64)
      let target = "aarch64-unknown-linux-gnu"
    #else
      let target = "x86_64-unknown-linux-gnu"
    #endif
    let flags = products.moduleFlags.prefix { $0 != "-load-plugin-executable" }
    var surface = PublicSurface()
    for module in ["SwiftData", "FoundationAdditions"] {
      let result = try await RunningProgram.run(
        "swift",
        ["symbolgraph-extract", "-module-name", module, "-target", target, "-output-dir", output.folder.path] + flags,
        mergesErrors: true)
      try #require(result.status == 0, "\(result.output)")
    }
    for file in try FileManager.default.contentsOfDirectory(at: output.folder, includingPropertiesForKeys: nil)
    where file.pathExtension == "json" {
      surface.add(try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: file)))
    }
    return surface
  }

  private mutating func add(_ graph: SymbolGraph) {
    var names: [String: String] = [:]
    var types: [String: SymbolGraph.Symbol] = [:]
    for symbol in graph.symbols {
      names[symbol.identifier.precise] = symbol.name
      declarations[symbol.name, default: []].append((symbol.declarationFragments ?? []).map(\.spelling).joined())
      if symbol.isType { types[symbol.name] = symbol }
    }
    for symbol in graph.symbols where !symbol.isSynthesized { add(symbol, of: types[symbol.type]) }
    for relationship in graph.relationships where relationship.kind == "conformsTo" {
      let target = names[relationship.target] ?? relationship.targetFallback ?? ""
      guard let source = names[relationship.source], let name = target.split(separator: ".").last else { continue }
      conformances[source, default: []].insert(String(name))
    }
  }

  private mutating func add(_ symbol: SymbolGraph.Symbol, of type: SymbolGraph.Symbol?) {
    var declaration = symbol.declaration
    var place = symbol.isType ? symbol.name : symbol.type
    if let own = symbol.swiftExtension {
      let known = Set(type?.swiftGenerics?.constraints ?? [])
      let constraints = (own.constraints ?? []).filter { !known.contains($0) }.map {
        $0.lhs + ($0.kind == "sameType" ? " == " : ": ") + $0.rhs
      }
      if !constraints.isEmpty {
        declaration += (declaration.contains(" where ") ? ", " : " where ") + constraints.joined(separator: ", ")
      }
      if type?.kind.identifier == "swift.protocol" { place = "extension \(place)" }
    }
    signatures[place, default: []].insert(PublicSignature(declaration))
  }
}
