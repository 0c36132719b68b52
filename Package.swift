// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

/// One list for every target: Swift 6 mode, explicit existentials, imports that show whether a dependency leaks.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "OpenSwiftData",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "SwiftData", targets: ["SwiftData"]),
    .library(name: "SwiftDataPostgreSQL", targets: ["SwiftDataPostgreSQL"]),
    .library(name: "SwiftDataMetrics", targets: ["SwiftDataMetrics"]),
    .executable(name: "generate-models", targets: ["generate-models"]),
    .executable(name: "postgresql-model", targets: ["postgresql-model"]),
    .executable(name: "store-tool", targets: ["store-tool"]),
    .executable(name: "library-demo", targets: ["library-demo"]),
    .plugin(name: "GenerateModelsPlugin", targets: ["GenerateModelsPlugin"]),
    .plugin(name: "GenerateModelsCommand", targets: ["GenerateModelsCommand"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
  ],
  targets: [
    // Layer 0: system libraries, a header and a link line each.
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),

    // Layer 1: the waist, and what stands beside it.
    .target(name: "ErrorReporting", swiftSettings: settings),
    .target(
      name: "ManagedModel",
      dependencies: ["ErrorReporting", .product(name: "Crypto", package: "swift-crypto")],
      swiftSettings: settings),
    .target(
      name: "StoreRequests",
      dependencies: ["ErrorReporting", "ManagedModel", .product(name: "Logging", package: "swift-log")],
      swiftSettings: settings),
    .target(name: "PropertyLists", dependencies: ["ErrorReporting"], swiftSettings: settings),
    .target(
      name: "FoundationAdditions", dependencies: ["PropertyLists", .product(name: "Logging", package: "swift-log")],
      swiftSettings: settings),
    .target(
      name: "ModelArchive", dependencies: ["ErrorReporting", "PropertyLists", "ManagedModel", "CZlib"],
      swiftSettings: settings),
    .target(name: "SQLite", dependencies: ["ErrorReporting", "CSQLite"], swiftSettings: settings),
    .target(name: "DatabaseFiles", dependencies: ["ErrorReporting", "SQLite"], swiftSettings: settings),
    .target(name: "PostgreSQL", dependencies: ["ErrorReporting", "CPostgreSQL"], swiftSettings: settings),

    // Layer 2: the formats.
    .target(name: "ModelGenerator", dependencies: ["ErrorReporting", "ManagedModel"], swiftSettings: settings),
    .target(name: "ModelDiagram", dependencies: ["ErrorReporting", "ManagedModel"], swiftSettings: settings),
    .target(
      name: "CoreDataModel", dependencies: ["ErrorReporting", "ManagedModel", "PropertyLists", "CLibXML2"],
      swiftSettings: settings),
    .target(
      name: "CoreDataStore",
      dependencies: [
        "ErrorReporting", "DatabaseFiles", "StoreRequests", "ManagedModel", "ModelArchive", "PropertyLists", "SQLite",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),

    .target(
      name: "PostgreSQLStore",
      dependencies: [
        "ErrorReporting", "StoreRequests", "ManagedModel", "ModelArchive", "PropertyLists", "PostgreSQL",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    .target(
      name: "PostgreSQLModel", dependencies: ["ErrorReporting", "ManagedModel", "PostgreSQL", "PostgreSQLStore"],
      swiftSettings: settings),
    .target(
      name: "StoreInspection",
      dependencies: ["ErrorReporting", "CoreDataStore", "DatabaseFiles", "StoreRequests", "ManagedModel", "SQLite"],
      swiftSettings: settings),
    .target(
      name: "StoreExchange",
      dependencies: ["ErrorReporting", "CoreDataStore", "StoreRequests", "ManagedModel", "PropertyLists", "SQLite"],
      swiftSettings: settings),

    .target(
      name: "StoreTransfer",
      dependencies: ["ErrorReporting", "CoreDataStore", "PostgreSQLStore", "StoreRequests", "ManagedModel"],
      swiftSettings: settings),

    // Layer 3: the framework.
    .macro(
      name: "SwiftDataMacros",
      dependencies: [
        .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
        .product(name: "SwiftDiagnostics", package: "swift-syntax"),
        .product(name: "SwiftIfConfig", package: "swift-syntax"),
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
      ],
      swiftSettings: settings),
    .target(
      name: "SwiftData",
      dependencies: [
        "ErrorReporting", "FoundationAdditions", "CoreDataStore", "StoreRequests", "ManagedModel", "PropertyLists",
        "SwiftDataMacros", .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),

    .target(
      name: "SwiftDataPostgreSQL",
      dependencies: ["SwiftData", "PostgreSQLStore", "PostgreSQL", "StoreRequests", "ManagedModel"],
      swiftSettings: settings),

    .target(
      name: "SwiftDataMetrics", dependencies: ["SwiftData", .product(name: "Metrics", package: "swift-metrics")],
      swiftSettings: settings),

    // Layer 4: the tools, what they print with, and how they read models.
    .target(
      name: "ToolConsole", dependencies: ["ErrorReporting", "DatabaseFiles"], path: "tools/console",
      swiftSettings: settings),
    .target(
      name: "ToolModels",
      dependencies: [
        "ErrorReporting", "CoreDataModel", "CoreDataStore", "ModelArchive", "ManagedModel", "PropertyLists",
        "ToolConsole",
      ],
      path: "tools/models", swiftSettings: settings),
    .executableTarget(
      name: "generate-models",
      dependencies: [
        "ErrorReporting", "ModelGenerator", "ModelDiagram", "CoreDataModel", "ModelArchive", "ManagedModel",
        "PropertyLists", "ToolConsole", "ToolModels",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "tools/generate-models",
      swiftSettings: settings),
    .executableTarget(
      name: "postgresql-model",
      dependencies: ["ErrorReporting", "ManagedModel", "ModelArchive", "PostgreSQL", "PostgreSQLModel", "ToolModels"],
      path: "tools/postgresql-model", swiftSettings: settings),
    .executableTarget(
      name: "store-tool",
      dependencies: [
        "ErrorReporting", "CoreDataStore", "DatabaseFiles", "PostgreSQLStore", "StoreRequests", "StoreInspection",
        "StoreExchange", "StoreTransfer", "ManagedModel", "PropertyLists", "ToolConsole", "ToolModels",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "tools/store-tool",
      swiftSettings: settings),
    .executableTarget(
      name: "library-demo", dependencies: ["SwiftData"], path: "tools/library-demo", swiftSettings: settings),
    .executableTarget(
      name: "server-demo", dependencies: ["SwiftData", "SwiftDataPostgreSQL"], path: "tools/server-demo",
      exclude: ["run"], swiftSettings: settings),
    .plugin(name: "GenerateModelsPlugin", capability: .buildTool(), dependencies: ["generate-models"]),
    .plugin(
      name: "GenerateModelsCommand",
      capability: .command(
        intent: .custom(verb: "generate-models", description: "Generates SwiftData source from Core Data models."),
        permissions: [.writeToPackageDirectory(reason: "Generated source is kept in the package.")]),
      dependencies: ["generate-models"]),
    .executableTarget(
      name: "importer-benchmark", dependencies: ["ModelGenerator", "CoreDataModel", "ManagedModel", "CLibXML2"],
      path: "Benchmarks/importer", swiftSettings: settings),
    .executableTarget(
      name: "store-benchmark", dependencies: ["CoreDataStore", "StoreRequests", "ManagedModel", "SQLite", "CSQLite"],
      path: "Benchmarks/store", swiftSettings: settings),
    .executableTarget(
      name: "server-benchmark", dependencies: ["SwiftData", "SwiftDataPostgreSQL", "CPostgreSQL"],
      path: "Benchmarks/server", swiftSettings: settings),

    // Tests.
    .target(name: "TestSupport", dependencies: ["CSQLite"], swiftSettings: settings),
    .target(
      name: "StoreTestSupport",
      dependencies: [
        "CoreDataStore", "StoreRequests", "StoreExchange", "ManagedModel", "PropertyLists", "SQLite", "CSQLite",
        "TestSupport",
      ],
      swiftSettings: settings),
    .target(
      name: "PostgreSQLTestSupport", dependencies: ["PostgreSQL", "TestSupport"], swiftSettings: settings),
    .testTarget(name: "ErrorReportingTests", dependencies: ["ErrorReporting"], swiftSettings: settings),
    .testTarget(
      name: "ManagedModelTests", dependencies: ["ErrorReporting", "ManagedModel", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "PropertyListsTests", dependencies: ["ErrorReporting", "PropertyLists"], swiftSettings: settings),
    .testTarget(name: "FoundationAdditionsTests", dependencies: ["FoundationAdditions"], swiftSettings: settings),
    .testTarget(
      name: "ModelArchiveTests",
      dependencies: [
        "ErrorReporting", "ModelArchive", "CoreDataModel", "ManagedModel", "PropertyLists", "TestSupport",
      ],
      exclude: ["FuzzCorpus"], swiftSettings: settings),
    .testTarget(name: "SQLiteTests", dependencies: ["CSQLite", "SQLite", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "DatabaseFilesTests", dependencies: ["DatabaseFiles", "SQLite", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "CoreDataModelTests", dependencies: ["CoreDataModel", "ManagedModel", "TestSupport"],
      exclude: ["FuzzCorpus"], swiftSettings: settings),
    .testTarget(
      name: "CoreDataStoreTests",
      dependencies: [
        "CoreDataStore", "StoreRequests", "StoreInspection", "StoreExchange", "CoreDataModel", "DatabaseFiles",
        "ModelArchive",
        "ManagedModel", "PropertyLists", "SQLite", "CSQLite", "TestSupport", "StoreTestSupport",
      ],
      exclude: ["Faults/Goldens"], swiftSettings: settings),
    .testTarget(
      name: "StoreInspectionTests",
      dependencies: [
        "StoreInspection", "CoreDataStore", "StoreRequests", "ManagedModel", "SQLite", "TestSupport",
        "StoreTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "StoreExchangeTests",
      dependencies: [
        "ErrorReporting", "StoreExchange", "StoreInspection", "CoreDataStore", "StoreRequests", "ManagedModel",
        "PropertyLists", "SQLite", "TestSupport",
        "StoreTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ModelGeneratorTests", dependencies: ["ModelGenerator", "CoreDataModel", "ManagedModel", "TestSupport"],
      exclude: ["Goldens", "Models"], swiftSettings: settings),
    .testTarget(
      name: "ModelDiagramTests", dependencies: ["ModelDiagram", "CoreDataModel", "ManagedModel", "TestSupport"],
      exclude: ["Goldens"], swiftSettings: settings),
    // The macros' sources stand in this target a second time, by a link. A test target that depends on a macro is built for the host, and
    // SwiftPM then builds every other test target and library twice.
    .testTarget(
      name: "SwiftDataMacrosTests",
      dependencies: [
        "TestSupport",
        .product(name: "SwiftDiagnostics", package: "swift-syntax"),
        .product(name: "SwiftIfConfig", package: "swift-syntax"),
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
      ],
      exclude: ["Macros/Plugin.swift"], swiftSettings: settings),
    .testTarget(
      name: "SwiftDataTests",
      dependencies: [
        "SwiftData", "CoreDataStore", "StoreRequests", "StoreInspection", "ManagedModel", "PropertyLists", "SQLite",
        "CSQLite", "TestSupport", "StoreTestSupport", .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "SwiftDataPostgreSQLTests",
      dependencies: [
        "SwiftDataPostgreSQL", "SwiftData", "PostgreSQLStore", "PostgreSQL", "CoreDataModel", "CoreDataStore",
        "StoreRequests", "StoreExchange", "StoreTransfer", "ModelArchive", "ManagedModel", "SQLite", "TestSupport",
        "StoreTestSupport", "PostgreSQLTestSupport",
        "SwiftDataMetrics", .product(name: "Metrics", package: "swift-metrics"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "SwiftDataMetricsTests",
      dependencies: [
        "SwiftDataMetrics", "SwiftData", "TestSupport",
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "PostgreSQLModelTests",
      dependencies: [
        "ErrorReporting", "PostgreSQLModel", "PostgreSQLStore", "PostgreSQL", "ModelGenerator", "CoreDataModel",
        "ManagedModel", "ModelArchive", "SwiftData",
        "SwiftDataPostgreSQL", "TestSupport", "PostgreSQLTestSupport",
      ],
      exclude: ["Generated/Museum/Notes.txt", "Museum.sql"], swiftSettings: settings),
    .testTarget(
      name: "ServerConformanceTests",
      dependencies: ["SwiftData", "SwiftDataPostgreSQL", "PostgreSQLTestSupport", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "GeneratedModelsTests",
      dependencies: ["SwiftData", "CoreDataModel", "CoreDataStore", "ManagedModel", "SQLite", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "GeneratedCodeTests",
      dependencies: [
        "generate-models", "library-demo", "CoreDataModel", "CoreDataStore", "ManagedModel", "ModelArchive", "SQLite",
        "TestSupport",
      ],
      exclude: ["Runner"], swiftSettings: settings),
    .testTarget(
      name: "CommandLineTests",
      dependencies: [
        "generate-models", "postgresql-model", "store-tool", "CoreDataStore", "PostgreSQL", "PostgreSQLStore",
        "PostgreSQLTestSupport", "StoreInspection", "ManagedModel", "ModelArchive",
        "PropertyLists", "SQLite", "ToolConsole", "TestSupport",
      ],
      exclude: ["Goldens"], swiftSettings: settings),
    .testTarget(name: "ConformanceTests", dependencies: ["SwiftData", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "StoreCompatibilityTests",
      dependencies: ["SwiftData", "CoreDataStore", "ManagedModel", "SQLite", "TestSupport"],
      swiftSettings: settings),
  ]
)
