import Foundation
import Glibc

/// Says that it is a server of another version, or that it speaks another language. It ends when it is released.
///
/// No real server of such a version can be installed beside the tests' one, and few machines have such a language.
package final class FakeServer: Sendable {
  /// The address, with a password that no message may show.
  package let address: String
  /// The folder of the server's socket.
  package let folder: String
  private let listener: Int32

  private struct Problem: Error { let call: String }

  /// What a server says in place of a greeting.
  package struct Refusal: Sendable {
    let severity: String
    let code: String
    let message: String

    package init(_ severity: String, code: String, _ message: String) {
      self.severity = severity
      self.code = code
      self.message = message
    }
  }

  /// A server that answers every statement with nothing.
  ///
  /// - Parameter version: such as `13.12`.
  package convenience init(version: String) throws { try self.init(version: version, refusal: nil) }

  /// A server that refuses every connection.
  package convenience init(refusing refusal: Refusal) throws { try self.init(version: "15.4", refusal: refusal) }

  private init(version: String, refusal: Refusal?) throws {
    // A socket's path has at most 107 bytes.
    let folder = "/tmp/osd-fake-\(UInt64.random(in: 0...UInt64.max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    self.folder = folder
    self.listener = listener
    address = "postgresql://app:geheim@/library?host=\(folder)"
    guard Self.bind(listener, to: folder + "/.s.PGSQL.5432") == 0, listen(listener, 16) == 0 else {
      throw Problem(call: "bind")
    }
    let settings = [("server_version", version), ("server_encoding", "UTF8"), ("client_encoding", "UTF8")]
    Thread.detachNewThread {
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        Thread.detachNewThread {
          Self.serve(client, settings, refusal)
          close(client)
        }
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
    try? FileManager.default.removeItem(atPath: folder)
  }

  private static func bind(_ listener: Int32, to path: String) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix(107)) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  // MARK: Messages (PostgreSQL documentation, chapter 55)

  private static func serve(_ client: Int32, _ settings: [(name: String, value: String)], _ refusal: Refusal?) {
    // The first message has no type.
    guard message(from: client, typeLength: 0) != nil else { return }
    if let refusal {
      let fields = [("S", refusal.severity), ("V", "FATAL"), ("C", refusal.code), ("M", refusal.message)]
      let place = [("F", "fake.c"), ("L", "7"), ("R", "refuse")]
      _ = send(message("E", (fields + place).flatMap { text($0.0 + $0.1) } + [0]), to: client)
      return
    }
    let ready = message("Z", Array("I".utf8))
    // The user needs no password.
    var greeting = message("R", [0, 0, 0, 0])
    for setting in settings { greeting += message("S", text(setting.name) + text(setting.value)) }
    guard send(greeting + ready, to: client) else { return }
    while let request = message(from: client, typeLength: 1), request.first != UInt8(ascii: "X") {
      guard send(message("C", text("SET")) + ready, to: client) else { return }
    }
  }

  private static func text(_ text: String) -> [UInt8] { Array(text.utf8) + [0] }

  private static func message(_ type: Unicode.Scalar, _ body: [UInt8]) -> [UInt8] {
    // The length counts its own four bytes.
    [UInt8(ascii: type)] + withUnsafeBytes(of: UInt32(body.count + 4).bigEndian) { Array($0) } + body
  }

  private static func message(from client: Int32, typeLength: Int) -> [UInt8]? {
    guard let head = read(client, exactly: typeLength + 4) else { return nil }
    let length = head.suffix(4).reduce(0) { $0 << 8 | Int($1) }
    guard length > 4 else { return head }
    return read(client, exactly: length - 4).map { head + $0 }
  }

  private static func read(_ client: Int32, exactly count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    let length = recv(client, &bytes, count, Int32(MSG_WAITALL))
    return length == count ? bytes : nil
  }

  private static func send(_ bytes: [UInt8], to client: Int32) -> Bool {
    Glibc.send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }
}
