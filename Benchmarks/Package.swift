// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that the peers never become dependencies of the product.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "OpenSwiftData", path: ".."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .systemLibrary(name: "CSQLiteBare", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .executableTarget(
      name: "benchmarks",
      dependencies: [
        "CSQLiteBare",
        .product(name: "SwiftData", package: "OpenSwiftData"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")]),
  ]
)
