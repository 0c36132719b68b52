// swift-tools-version: 6.2
import PackageDescription

// Coverage-guided fuzzers for what is read from untrusted files: `make fuzz`. A package of its own, so that the library is
// built without instrumentation; `Sources` has links to the library's targets, which therefore are one package with it.

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .unsafeFlags(["-sanitize=fuzzer"]),
]

let package = Package(
  name: "fuzz",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    .systemLibrary(name: "CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CFuzzer"),
    .target(name: "ErrorReporting", swiftSettings: settings),
    .target(
      name: "ManagedModel", dependencies: ["ErrorReporting", .product(name: "Crypto", package: "swift-crypto")],
      swiftSettings: settings),
    .target(name: "PropertyLists", dependencies: ["ErrorReporting"], swiftSettings: settings),
    .target(
      name: "ModelArchive", dependencies: ["ErrorReporting", "PropertyLists", "ManagedModel", "CZlib"],
      swiftSettings: settings),
    .target(
      name: "CoreDataModel", dependencies: ["ErrorReporting", "ManagedModel", "PropertyLists", "CLibXML2"],
      swiftSettings: settings),
    .target(name: "ModelGenerator", dependencies: ["ErrorReporting", "ManagedModel"], swiftSettings: settings),
    .target(name: "SQLite", dependencies: ["ErrorReporting", "CSQLite"], swiftSettings: settings),
    .target(name: "DatabaseFiles", dependencies: ["ErrorReporting", "SQLite"], swiftSettings: settings),
    .target(name: "StoreRequests", dependencies: ["ErrorReporting", "ManagedModel"], swiftSettings: settings),
    .target(
      name: "CoreDataStore",
      dependencies: [
        "ErrorReporting", "DatabaseFiles", "StoreRequests", "ManagedModel", "ModelArchive", "PropertyLists", "SQLite",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    .target(
      name: "StoreExchange",
      dependencies: ["ErrorReporting", "CoreDataStore", "StoreRequests", "ManagedModel", "PropertyLists", "SQLite"],
      swiftSettings: settings),
    .target(
      name: "StoreInspection",
      dependencies: ["ErrorReporting", "CoreDataStore", "DatabaseFiles", "StoreRequests", "ManagedModel", "SQLite"],
      swiftSettings: settings),
    .executableTarget(
      name: "fuzz",
      dependencies: [
        "CFuzzer", "CSQLite", "CoreDataModel", "CoreDataStore", "ManagedModel", "ModelArchive", "ModelGenerator",
        "PropertyLists", "SQLite", "StoreExchange", "StoreInspection", "StoreRequests",
      ],
      swiftSettings: settings, linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]),
  ]
)
