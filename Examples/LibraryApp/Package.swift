// swift-tools-version: 6.2
import PackageDescription

// Shows both ways to generate source: at build time, and into the package.
let package = Package(
  name: "LibraryApp",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "OpenSwiftData", path: "../..")],
  targets: [
    // Library.xcdatamodeld is among the sources, and the plug-in generates source from it at build time.
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
