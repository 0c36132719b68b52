import Foundation
import SwiftData

/// Fetches and saves of one object or of ten, by the store and by hand.
final class SmallWork {
  typealias Work = () throws -> Void

  private let reading: ModelContext
  private let writing: ModelContext
  private let bare: BareLibrary
  private let count: Int
  private var next = 0
  private var number: Int

  /// - Parameter count: the rows of `entry`.
  init(reading: ModelContext, writing: ModelContext, bare: BareLibrary, count: Int) {
    self.reading = reading
    self.writing = writing
    self.bare = bare
    self.count = count
    number = count
  }

  /// Calls a closure with each piece of work.
  func run(_ measure: (_ work: String, _ ours: @escaping Work, _ byHand: @escaping Work) throws -> Void) throws {
    try measure("fetch one by its code", fetchOne, fetchOneByHand)
    try measure("insert one and save", insertOne, insertOneByHand)
    for size in [1, 10] {
      // The store and the hand change rows of their own.
      let newest = try bare.last(22)
      let entries = try newest.prefix(size).map { try entry($0.key) }
      var rows = Array(newest.dropFirst(11).prefix(size))
      try measure(
        "change \(size == 1 ? "one" : "ten") and save",
        { [self] in
          number += 1
          for entry in entries { entry.pages = number }
          try writing.save()
        },
        { [self] in
          number += 1
          rows = try bare.setPages(rows.map { _ in Int64(number) }, of: rows)
        })
    }
    try measure("insert one and save, delete it and save", deleteOne, deleteOneByHand)
  }

  private func code() -> String {
    next = (next + 7919) % count
    return "code-\(next)"
  }

  private func fetchOne() throws {
    let code = code()
    guard try reading.fetch(FetchDescriptor<Entry>(predicate: #Predicate { $0.code == code })).count == 1 else {
      throw ServerBenchmark.WrongRows()
    }
  }

  private func fetchOneByHand() throws {
    guard try bare.fetch(code: code()).count == 1 else { throw ServerBenchmark.WrongRows() }
  }

  private func insertOne() throws {
    number += 1
    writing.insert(Entry(number))
    try writing.save()
  }

  private func insertOneByHand() throws {
    number += 1
    _ = try bare.insert(Row(number))
  }

  private func deleteOne() throws {
    number += 1
    let entry = Entry(number)
    writing.insert(entry)
    try writing.save()
    writing.delete(entry)
    try writing.save()
  }

  private func deleteOneByHand() throws {
    number += 1
    try bare.delete((key: try bare.insert(Row(number)), version: 1))
  }

  /// The object of a row of `entry`.
  private func entry(_ key: Int64) throws -> Entry {
    let code = try bare.code(of: key)
    guard let found = try writing.fetch(FetchDescriptor<Entry>(predicate: #Predicate { $0.code == code })).first else {
      throw ServerBenchmark.WrongRows()
    }
    return found
  }
}
