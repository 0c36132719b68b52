// swift-tools-version: 6.2
import PackageDescription

// Flights on their way: JSON into a store on two actors, and live queries over it.
let package = Package(
  name: "Enroute",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "OpenSwiftData", path: "../..")],
  targets: [
    .executableTarget(
      name: "Enroute",
      dependencies: [.product(name: "SwiftData", package: "OpenSwiftData")],
      resources: [.copy("Data")])
  ]
)
