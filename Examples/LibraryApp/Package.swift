// swift-tools-version: 6.2
import PackageDescription

// Both ways to generated source: when a target is built, and kept in the package.
let package = Package(
  name: "LibraryApp",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "OpenSwiftData", path: "../..")],
  targets: [
    // Library.xcdatamodeld is among the sources, and the plug-in generates from it at build time.
    .executableTarget(
      name: "LibraryApp",
      dependencies: ["Notes", .product(name: "SwiftData", package: "OpenSwiftData")],
      plugins: [.plugin(name: "GenerateModelsPlugin", package: "OpenSwiftData")]),
    // “swift package generate-models” writes Sources/Notes/Generated from Notes.xcdatamodeld.
    .target(
      name: "Notes", dependencies: [.product(name: "SwiftData", package: "OpenSwiftData")],
      exclude: ["Notes.xcdatamodeld"]),
  ]
)
