import ArgumentParser
import Foundation
import Hummingbird
import SwiftData

/// Serves the library until it is told to stop.
@main
struct LibraryServer: AsyncParsableCommand {
  @Option(help: "postgresql://… or the path of a file; DATABASE_URL if not given, else library.store.")
  var database: String?

  @Option var host = "127.0.0.1"
  @Option var port = 8080

  func run() async throws {
    let address = database ?? ProcessInfo.processInfo.environment["DATABASE_URL"] ?? "library.store"
    let desk = Desk(try Database(address).container())
    let configuration = ApplicationConfiguration(address: .hostname(host, port: port))
    try await Application(router: Router.library(desk), configuration: configuration).runService()
  }
}
