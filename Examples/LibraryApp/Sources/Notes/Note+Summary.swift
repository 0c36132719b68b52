import Foundation

extension Note {
  /// The note's text and, if it is known, the day of its creation.
  public var summary: String {
    created.map { "\(text) (\($0.formatted(.iso8601.year().month().day())))" } ?? text
  }
}
