import Foundation
import ToolConsole

/// The place of a model in messages: a file or folder, or a database.
struct ModelPlace: Equatable {
  let text: String
  /// `nil` for a database, which has no lines.
  let line: Int?

  init(_ url: URL) {
    text = url.path
    line = 1
  }

  /// - Parameter database: the database and its host, without a password.
  init(database: String) {
    text = database
    line = nil
  }
}

extension Failure {
  init(_ place: ModelPlace, _ problem: String, remedy: String) {
    self.init([Message(severity: .error, file: place.text, line: place.line, problem: problem, remedy: remedy)])
  }
}
