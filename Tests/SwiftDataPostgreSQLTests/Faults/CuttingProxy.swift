import Foundation
import Glibc
import Synchronization

/// Stands between clients and the tests' server, and cuts a connection at a chosen message of a client.
///
/// Only Unix sockets; it goes on passing messages, of the same and of new connections, until it is released.
final class CuttingProxy: Sendable {
  /// Whether the server gets the message at which the connection is cut.
  enum Cut: Sendable, CaseIterable { case beforeMessage, afterMessage }

  /// The folder of the proxy's socket, for the parameter `host` of an address.
  let folder: String
  private let server: String
  private let listener: Int32
  private let plan = Mutex<Plan>(Plan())

  private struct Plan {
    /// The messages that pass before the one at which the connection is cut; `nil` if none is cut.
    var remaining: Int?
    var cut = Cut.beforeMessage
    /// The connections that were made so far, and how many of them get no answer any more.
    var count = 0
    var frozenCount = 0
    /// Whether new connections are closed at once, and how many were.
    var refuses = false
    var refusedCount = 0
    /// Whether new connections wait, and how many have waited.
    var holds = false
    var heldCount = 0
    /// The messages after which the client waits until the server is ready.
    var turns = 0
  }

  private struct Problem: Error { let call: String }

  private final class Flag: Sendable {
    private let state = Mutex(false)
    var isSet: Bool { state.withLock { $0 } }
    func set() { state.withLock { $0 = true } }
  }

  /// - Parameter folder: that of the server's socket.
  init(to folder: String) throws {
    server = folder + "/.s.PGSQL.5432"
    // A socket's path has at most 107 bytes.
    self.folder = "/tmp/osd-cut-\(UInt64.random(in: 0...UInt64.max))"
    try FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: false)
    let listener = Self.socket()
    self.listener = listener
    guard Self.withAddress(self.folder + "/.s.PGSQL.5432", { bind(listener, $0, $1) }) == 0, listen(listener, 64) == 0
    else { throw Problem(call: "bind") }
    // The closures of a thread hold the socket's number only, so that the proxy ends when its test does.
    let (path, pass, freezes, refuses, holds) = (server, passes, freezes, refuses, holds)
    Thread.detachNewThread {
      while true {
        let client = Glibc.accept(listener, nil, nil)
        guard client >= 0 else { return }
        if holds(true) { while holds(false) { Thread.sleep(forTimeInterval: 0.01) } }
        guard !refuses() else {
          Self.close([client])
          continue
        }
        let connection = Self.socket()
        guard Self.withAddress(path, { connect(connection, $0, $1) }) == 0 else {
          Self.close([client, connection])
          continue
        }
        let (isFrozen, isMute) = (freezes(), Flag())
        Thread.detachNewThread { Self.answer(from: connection, to: client) { isFrozen() || isMute.isSet } }
        Thread.detachNewThread { Self.ask(from: client, to: connection, isMute, pass) }
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    Glibc.close(listener)
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Cuts the connection of the message that comes after `count` others, once.
  func cut(after count: Int, _ cut: Cut) {
    plan.withLock { $0 = Plan(remaining: count, cut: cut, turns: $0.turns) }
  }

  /// Whether the chosen message has come. Passes all messages from now on.
  func stop() -> Bool {
    plan.withLock { plan in
      defer { plan.remaining = nil }
      return plan.remaining == nil
    }
  }

  /// Passes no more answers to the clients of the present connections, which stay open.
  func freeze() { plan.withLock { $0.frozenCount = $0.count } }

  /// Closes each new connection at once, until ``accept()``. The present connections stay.
  func refuse() {
    plan.withLock { plan in
      plan.refuses = true
      plan.refusedCount = 0
    }
  }

  /// Lets new connections wait, each after the one before, until ``accept()``.
  func hold() {
    plan.withLock { plan in
      plan.holds = true
      plan.heldCount = 0
    }
  }

  /// Passes new connections again.
  func accept() {
    plan.withLock { plan in
      plan.refuses = false
      plan.holds = false
    }
  }

  /// The round trips that all clients have begun.
  var roundTrips: Int { plan.withLock { $0.turns } }

  /// The connections that were closed at once since ``refuse()``.
  var refusedCount: Int { plan.withLock { $0.refusedCount } }

  /// The connections that have waited since ``hold()``.
  var heldCount: Int { plan.withLock { $0.heldCount } }

  /// Whether a connection waits; counts it if it is new.
  private var holds: @Sendable (_ isNew: Bool) -> Bool {
    { [weak self] isNew in
      self?.plan.withLock { plan in
        if plan.holds, isNew { plan.heldCount += 1 }
        return plan.holds
      } ?? false
    }
  }

  /// Whether a new connection is refused; counts it then.
  private var refuses: @Sendable () -> Bool {
    { [weak self] in
      self?.plan.withLock { plan in
        if plan.refuses { plan.refusedCount += 1 }
        return plan.refuses
      } ?? false
    }
  }

  /// Counts a new connection; tells later whether it is frozen.
  private var freezes: @Sendable () -> @Sendable () -> Bool {
    { [weak self] in
      let number = self?.plan.withLock { plan in
        plan.count += 1
        return plan.count
      }
      return { [weak self] in self?.plan.withLock { number ?? 0 <= $0.frozenCount } ?? false }
    }
  }

  /// What happens to a message: `nil` if it passes.
  private var passes: @Sendable (_ type: UInt8?) -> Cut? {
    { [weak self] type in
      self?.plan.withLock { plan in
        // `Query` and `Sync`.
        if type == UInt8(ascii: "Q") || type == UInt8(ascii: "S") { plan.turns += 1 }
        guard let remaining = plan.remaining else { return nil }
        plan.remaining = remaining == 0 ? nil : remaining - 1
        return remaining == 0 ? plan.cut : nil
      }
    }
  }

  // MARK: Passing bytes

  private static func answer(from server: Int32, to client: Int32, _ isFrozen: () -> Bool) {
    while let bytes = read(server, atMost: 65_536) { if !isFrozen(), !write(bytes, to: client) { break } }
    shutdown(client, Int32(SHUT_RDWR))
  }

  private static func ask(from client: Int32, to server: Int32, _ isMute: Flag, _ next: (UInt8?) -> Cut?) {
    defer {
      shutdown(client, Int32(SHUT_RDWR))
      shutdown(server, Int32(SHUT_RDWR))
      // The other direction ends by itself, and uses the numbers no more after a moment.
      Thread.sleep(forTimeInterval: 0.05)
      close([client, server])
    }
    // The first message has no type; each has its length in four bytes, which count themselves.
    guard let start = message(from: client, typeLength: 0), write(start, to: server) else { return }
    while let message = message(from: client, typeLength: 1) {
      let cut = next(message.first)
      if cut == .beforeMessage { return }
      // The server may answer before this thread closes the connection.
      if cut == .afterMessage { isMute.set() }
      guard write(message, to: server) else { return }
      if cut == .afterMessage { return }
    }
  }

  private static func message(from socket: Int32, typeLength: Int) -> [UInt8]? {
    guard let head = read(socket, exactly: typeLength + 4) else { return nil }
    let length = head.suffix(4).reduce(0) { $0 << 8 | Int($1) }
    guard length > 4 else { return head }
    return read(socket, exactly: length - 4).map { head + $0 }
  }

  // MARK: Sockets

  private static func socket() -> Int32 { Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) }

  private static func close(_ sockets: [Int32]) { for socket in sockets { Glibc.close(socket) } }

  private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix(107)) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }

  private static func read(_ socket: Int32, atMost count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    let length = recv(socket, &bytes, count, 0)
    return length > 0 ? Array(bytes.prefix(length)) : nil
  }

  private static func read(_ socket: Int32, exactly count: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < count {
      guard let more = read(socket, atMost: count - bytes.count) else { return nil }
      bytes += more
    }
    return bytes
  }

  private static func write(_ bytes: [UInt8], to socket: Int32) -> Bool {
    var start = 0
    while start < bytes.count {
      let length = bytes[start...].withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard length > 0 else { return false }
      start += length
    }
    return true
  }
}
