import Foundation
import HTTPTypes
import Hummingbird
import SwiftData

/// An answer that tells a client what is wrong with its request, and where.
struct Refusal: HTTPResponseError {
  let status: HTTPResponse.Status
  let message: String
  var problems: [Problem] = []

  /// A value that breaks a rule.
  struct Problem: Codable, Equatable {
    var entity: String?
    let property: String
    let problem: String
  }

  struct Body: Codable {
    let message: String
    var problems: [Problem]?
  }

  init(_ status: HTTPResponse.Status, _ message: String, problems: [Problem] = []) {
    self.status = status
    self.message = message
    self.problems = problems
  }

  func response(from request: Request, context: some RequestContext) throws -> Response {
    let body = Body(message: message, problems: problems.isEmpty ? nil : problems)
    var response = try context.responseEncoder.encode(body, from: request, context: context)
    response.status = status
    return response
  }
}

extension Refusal {
  /// The answer to a client for an error that is the client's affair, or passes; `nil` for all others.
  init?(_ error: any Error) {
    switch error {
    case let error as DecodingError: self.init(error)
    case SwiftDataError.saveConflict:
      self.init(.conflict, "Another request has changed this at the same time. Try again.")
    case let error as SwiftDataError where error == .modelValidationFailure: self.init(validation: error)
    case SwiftDataError.storeFailure: self.init(.serviceUnavailable, "The database does not answer. Try again later.")
    default: return nil
    }
  }

  private init(_ error: DecodingError) {
    let (context, key): (DecodingError.Context, (any CodingKey)?) =
      switch error {
      case .keyNotFound(let key, let context): (context, key)
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context): (context, nil)
      @unknown default: (.init(codingPath: [], debugDescription: ""), nil)
      }
    let path = (context.codingPath + [key].compactMap(\.self)).map { $0.intValue.map(String.init) ?? $0.stringValue }
    let problem = key == nil ? context.debugDescription : "is missing"
    self.init(
      .badRequest, "The JSON cannot be read.",
      problems: [Problem(property: path.joined(separator: "."), problem: problem)])
  }

  /// A name that is taken, or a book that holds its author, is no mistake of the request: what is stored stands in its way.
  private init(validation error: SwiftDataError) {
    let problems = error.validationProblems.map {
      Problem(entity: $0.entityName, property: $0.propertyName, problem: $0.problem)
    }
    let isStored = error.validationProblems.allSatisfy { $0.rule == .uniqueness || $0.rule == .deletion }
    if isStored {
      self.init(.conflict, "What is stored already stands in the way.", problems: problems)
    } else {
      self.init(.unprocessableContent, "Values break the rules of their properties.", problems: problems)
    }
  }
}
