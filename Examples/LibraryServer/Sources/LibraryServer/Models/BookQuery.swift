import Foundation
import SwiftData

/// The books that a request asks for, as its address says it: `/books?author=Ivan%20Vazov&from=1880&limit=20`.
struct BookQuery: Decodable, Sendable {
  /// Part of the title, in any case and with or without accents.
  var title: String?
  var author: String?
  /// The first year.
  var from: Int?
  /// The last year.
  var to: Int?
  /// The number of the last book of the page before.
  var after: String?
  var limit: Int?

  /// The most books of a page.
  static let largestPage = 100
  var page: Int { min(max(limit ?? 20, 1), Self.largestPage) }

  /// Selects the books, those of all pages from here on.
  var predicate: Predicate<Book> {
    var conditions: [Predicate<Book>] = []
    if let title { conditions.append(#Predicate { $0.title.localizedStandardContains(title) }) }
    if let author { conditions.append(#Predicate { $0.author?.name == author }) }
    if let from { conditions.append(#Predicate { $0.year >= from }) }
    if let to { conditions.append(#Predicate { $0.year <= to }) }
    if let after { conditions.append(#Predicate { $0.isbn > after }) }
    return Predicate(all: conditions)
  }

  /// The books in the order of their numbers, with their authors in one more query.
  var descriptor: FetchDescriptor<Book> {
    var descriptor = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.isbn)])
    descriptor.relationshipKeyPathsForPrefetching = [\.author]
    return descriptor
  }
}

/// One page of books. The next page begins after `next`; there is none if it is `nil`.
struct BookPage: Encodable {
  let books: [Book]
  let next: String?
}
