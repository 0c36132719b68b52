import HTTPTypes
import Hummingbird
import Logging

/// Turns errors of the library into answers, and logs those that are the server's affair.
struct Refusals<Context: RequestContext>: RouterMiddleware {
  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as any HTTPResponseError {
      throw error
    } catch {
      guard let refusal = Refusal(error) else {
        context.logger.error("\(error)")
        throw error
      }
      if refusal.status.kind == .serverError { context.logger.error("\(error)") }
      throw refusal
    }
  }
}
