import Foundation
import Glibc
import PostgreSQL
import TestSupport
package import Testing

/// A server that listens on a port of 127.0.0.1, speaks TLS, and asks for passwords there.
///
/// `reader` may connect with or without TLS, `guarded` with TLS only. The server's certificate is for `localhost`, signed by itself.
package final class SecureServer: Sendable {
  package let server: TestServer
  package let port: UInt16
  /// The password of both users. It has characters that separate the parts of a URL, and one beyond ASCII.
  package static let password = "hu/sh@5:%\u{E9}x"

  /// The certificate that clients may trust, and one of somebody else.
  package var certificate: String { server.folder + "/server.crt" }
  package var otherCertificate: String { server.folder + "/other.crt" }

  private static let openssl = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":").map {
    "\($0)/openssl"
  }.first { FileManager.default.isExecutableFile(atPath: $0) }

  /// For suites that need such a server.
  package static let condition: ConditionTrait = .enabled(
    if: TestServer.programs != nil && openssl != nil,
    "needs a PostgreSQL server's programs and openssl: apt-get install postgresql openssl")

  /// The server of the tests; it starts with the first test that needs it. `nil` where a program is missing.
  package static let shared: SecureServer? = TestServer.programs.flatMap { programs in
    openssl.map { openssl in
      do { return try SecureServer(programs, openssl) } catch {
        fatalError("The tests' server with TLS does not start: \(error)")
      }
    }
  }

  private init(_ programs: String, _ openssl: String) throws {
    let port = Self.freePort()
    self.port = port
    server = try TestServer(programs, port: port, cluster: TestServer.shared?.freshCluster) { folder in
      for name in ["server", "other"] { try Self.makeCertificate(openssl, "\(folder)/\(name)") }
      try """
      local all app trust
      hostssl all guarded 127.0.0.1/32 scram-sha-256
      host all reader 127.0.0.1/32 scram-sha-256
      """.appending("\n").write(toFile: folder + "/hba.conf", atomically: true, encoding: .utf8)
      let settings = [
        "listen_addresses=127.0.0.1", "port=\(port)", "ssl=on", "ssl_cert_file=\(folder)/server.crt",
        "ssl_key_file=\(folder)/server.key", "hba_file=\(folder)/hba.conf",
      ]
      return settings.flatMap { ["-c", $0] }
    }
    let connection = try server.connect()
    for user in ["reader", "guarded"] {
      try connection.execute("CREATE ROLE \(user) LOGIN PASSWORD '\(Self.password)'")
      try connection.execute("GRANT CREATE ON DATABASE postgres TO \(user)")
    }
  }

  private static func makeCertificate(_ openssl: String, _ path: String) throws {
    let result = try RunningProgram.run(
      openssl,
      ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
        + ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
        + ["-keyout", "\(path).key", "-out", "\(path).crt"])
    guard result.status == 0 else { throw PostgreSQLError(message: "openssl failed: \(result.errors)", database: path) }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path + ".key")
  }

  /// A port that nobody has at the moment.
  private static func freePort() -> UInt16 {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = bind(listener, address, length)
        _ = getsockname(listener, address, &length)
      }
      return UInt16(bigEndian: pointer.pointee.sin_port)
    }
  }
}
