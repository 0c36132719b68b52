import Foundation
import HTTPTypes
import Hummingbird
import ServiceLifecycle

extension Response {
  /// An answer in JSON.
  init(_ status: HTTPResponse.Status = .ok, json: Data) {
    self.init(
      status: status, headers: [.contentType: "application/json; charset=utf-8", .contentLength: "\(json.count)"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: json)))
  }

  /// Server-sent events, until the client leaves or the server shuts down.
  init(eventsOf follower: BookFollower) {
    let body = ResponseBody { writer in
      // The client learns that the books are being followed.
      try await writer.write(ByteBuffer(string: ": following\n\n"))
      for try await events in BookEvents(follower: follower).cancelOnGracefulShutdown() {
        for event in events {
          let data = String(decoding: event.json, as: UTF8.self)
          try await writer.write(ByteBuffer(string: "event: \(event.name)\ndata: \(data)\n\n"))
        }
      }
      try await writer.finish(nil)
    }
    self.init(status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-cache"], body: body)
  }
}

extension Request {
  /// The whole body.
  func json(_ context: some RequestContext) async throws -> Data {
    let buffer = try await body.collect(upTo: context.maxUploadSize)
    return Data(buffer.readableBytesView)
  }
}

extension RequestContext {
  /// A part of the path, without percent signs.
  func part(_ name: String) throws -> String {
    guard let text = try parameters.require(name).removingPercentEncoding else {
      throw Refusal(.badRequest, "The address is not encoded correctly.")
    }
    return text
  }
}
