import Foundation

extension Note {
  /// The note's text and, where it is known, its day.
  public var summary: String {
    created.map { "\(text) (\($0.formatted(.iso8601.year().month().day())))" } ?? text
  }
}
