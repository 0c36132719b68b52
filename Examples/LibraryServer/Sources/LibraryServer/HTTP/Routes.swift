import HTTPTypes
import Hummingbird
import SwiftData

extension Router<BasicRequestContext> {
  /// The library's addresses.
  static func library(_ desk: Desk) -> Router {
    let router = Router()
    router.add(middleware: Refusals())
    router.addAuthors(desk)
    router.addBooks(desk)
    return router
  }

  private func addAuthors(_ desk: Desk) {
    let authors = group("authors")
    authors.get { _, _ in Response(json: try await desk.serve { try await $0.authors() }) }
    authors.post { request, context in
      let json = try await request.json(context)
      return Response(.created, json: try await desk.serve { try await $0.addAuthor(json) })
    }
    authors.get(":name") { _, context in
      let name = try context.part("name")
      return Response(json: try await desk.serve { try await $0.author(named: name) })
    }
    authors.delete(":name") { _, context in
      let name = try context.part("name")
      try await desk.serve { try await $0.removeAuthor(named: name) }
      return HTTPResponse.Status.noContent
    }
  }

  private func addBooks(_ desk: Desk) {
    let books = group("books")
    books.get { request, context in
      let query = try request.uri.decodeQuery(as: BookQuery.self, context: context)
      return Response(json: try await desk.serve { try await $0.books(query) })
    }
    books.put { request, context in
      let json = try await request.json(context)
      return Response(json: try await desk.serve { try await $0.put(json) })
    }
    books.get("events") { request, context in
      let query = try request.uri.decodeQuery(as: BookQuery.self, context: context)
      // It waits for days and works for moments, so it takes no place at the desk.
      let follower = BookFollower(modelContainer: desk.container)
      try await follower.follow(query)
      return Response(eventsOf: follower)
    }
    books.get(":isbn") { _, context in
      let isbn = try context.part("isbn")
      return Response(json: try await desk.serve { try await $0.book(isbn) })
    }
    books.delete(":isbn") { _, context in
      let isbn = try context.part("isbn")
      try await desk.serve { try await $0.removeBook(isbn) }
      return HTTPResponse.Status.noContent
    }
    for (name, change) in [("lend", -1), ("return", 1)] {
      books.post(":isbn/\(name)") { _, context in
        let isbn = try context.part("isbn")
        return Response(json: try await desk.serve { try await $0.changeCopies(of: isbn, by: change) })
      }
    }
  }
}
