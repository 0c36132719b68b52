import Foundation

/// One way of keeping the sample rows. Each method is one measured piece of work and returns a checksum of what it read.
protocol Contestant {
  var name: String { get }
  /// Opens a fresh database in the folder and writes all sample rows in one transaction.
  func insertAll(in folder: URL) throws
  /// Reads every row of the database that ``insertAll(in:)`` made in the folder.
  func fetchAll(in folder: URL) throws -> Int
  /// Rows with a score of 900 or more, by score and then by joining date, newest first.
  func fetchFiltered(in folder: URL) throws -> Int
}
