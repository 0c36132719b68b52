import Foundation
import SwiftData

/// The rows of the measurements; all their values follow from a number.
@Model final class Entry {
  var code: String
  var title: String
  var pages: Int
  var price: Double
  var made: Date
  var isNew: Bool

  init(_ number: Int) {
    let row = Row(number)
    code = row.code
    title = row.title
    pages = Int(row.pages)
    price = row.price
    made = Date(timeIntervalSinceReferenceDate: row.seconds)
    isNew = row.isNew
  }
}

/// The same with a unique code.
@Model final class Account {
  @Attribute(.unique) var code: String
  var title: String
  var pages: Int
  var price: Double
  var made: Date
  var isNew: Bool

  /// - Parameter round: changes the title, so that an upsert writes something.
  init(_ number: Int, round: Int = 0) {
    let row = Row(number)
    code = row.code
    title = "\(row.title) \(round)"
    pages = Int(row.pages)
    price = row.price
    made = Date(timeIntervalSinceReferenceDate: row.seconds)
    isNew = row.isNew
  }
}

/// A row as a program without models has it.
struct Row {
  var code: String
  var title: String
  var pages: Int64
  var price: Double
  /// Since 2001.
  var seconds: Double
  var isNew: Bool

  init(_ number: Int) {
    code = "code-\(number)"
    title = "The title of number \(number)"
    pages = Int64(number % 1000)
    price = Double(number) / 8
    seconds = Double(number) * 60
    isNew = number.isMultiple(of: 2)
  }

  init(code: String, title: String, pages: Int64, price: Double, seconds: Double, isNew: Bool) {
    self.code = code
    self.title = title
    self.pages = pages
    self.price = price
    self.seconds = seconds
    self.isNew = isNew
  }

  /// Reads every value, so that none is left unread.
  var checksum: Int {
    code.utf8.count &+ title.utf8.count &+ Int(pages) &+ Int(price) &+ Int(seconds) &+ (isNew ? 1 : 0)
  }
}

extension Entry {
  var checksum: Int {
    code.utf8.count &+ title.utf8.count &+ pages &+ Int(price) &+ Int(made.timeIntervalSinceReferenceDate)
      &+ (isNew ? 1 : 0)
  }
}
