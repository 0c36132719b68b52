import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import SwiftDataPostgreSQL
import Synchronization
import TestSupport
import Testing

@testable import PostgreSQLStore
@testable import SwiftData

/// TLS and passwords, with a server that asks for them.
@Suite("Connections with TLS and passwords", SecureServer.condition, .startsProcesses)
struct SecureConnectionTests {
  @Model final class Note {
    var text: String
    init(_ text: String) { self.text = text }
  }

  /// The password as a URL has it.
  private static let encoded = "hu%2Fsh%405%3A%25%C3%A9x"

  private let server: SecureServer

  init() throws { server = try #require(SecureServer.shared) }

  private func address(
    _ user: String = "reader", password: String? = encoded, host: String = "localhost", _ parameters: String = ""
  ) -> String {
    "postgresql://\(user)\(password.map { ":\($0)" } ?? "")@\(host):\(server.port)/postgres?hostaddr=127.0.0.1\(parameters)"
  }

  /// Whether a connection is encrypted.
  private func isEncrypted(_ address: String) throws -> Bool {
    try Connection(ServerAddress(address), deadline: 5).run(
      "SELECT ssl::int::bigint FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
    ).integer(0, 0) == 1
  }

  /// Expects that no text shows a password, or a part of one.
  private static func expectNoSecret(_ values: Any..., sourceLocation: SourceLocation = #_sourceLocation) {
    for value in values {
      var dumped = ""
      dump(value, to: &dumped)
      for text in ["\(value)", String(reflecting: value), dumped] {
        for secret in ["hu/sh", "hu%2F", "sh@5", "wrong/hush"] {
          #expect(!text.contains(secret), "\(text)", sourceLocation: sourceLocation)
        }
      }
    }
  }

  /// The error of an address that leads to no connection.
  private func refusal(_ address: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> String {
    let configuration = PostgreSQLConfiguration(address, deadline: 5)
    let error = try #require(
      #expect(throws: SwiftDataError.self, sourceLocation: sourceLocation) {
        try ModelContainer(for: Schema([Note.self]), configurations: [configuration])
      })
    Self.expectNoSecret(error, configuration, error as any Error, sourceLocation: sourceLocation)
    return "\(error as any Error)"
  }

  @Test("The address chooses whether the connection has TLS, and whom it trusts")
  func modes() throws {
    let (right, wrong) = ("&sslrootcert=\(server.certificate)", "&sslrootcert=\(server.otherCertificate)")
    #expect(try !isEncrypted(address("reader", "&sslmode=disable")))
    #expect(try isEncrypted(address("reader", "&sslmode=require")))
    #expect(try isEncrypted(address("guarded")))
    for mode in ["verify-ca", "verify-full"] {
      #expect(try isEncrypted(address("guarded", "&sslmode=\(mode)\(right)")))
      #expect(try refusal(address("guarded", "&sslmode=\(mode)\(wrong)")).contains("certificate verify failed"))
      let missing = try refusal(address("guarded", "&sslmode=\(mode)&sslrootcert=/nonexistent/database.crt"))
      #expect(missing.contains("root certificate file") && missing.contains("localhost"), "\(missing)")
      // The file does not exist: nobody needs to make a database.
      #expect(!missing.contains("create the database"), "\(missing)")
    }
    // The certificate is for localhost only.
    #expect(try isEncrypted(address("guarded", host: "127.0.0.1", "&sslmode=verify-ca\(right)")))
    let other = try refusal(address("guarded", host: "127.0.0.1", "&sslmode=verify-full\(right)"))
    #expect(other.contains("does not match host name") && other.contains("127.0.0.1"), "\(other)")
    let plain = try refusal(address("guarded", "&sslmode=disable"))
    #expect(plain.contains("no encryption") && plain.contains("pg_hba.conf"), "\(plain)")
  }

  @Test("A wrong password and a missing one are said, with the host and the user, and no message has a password")
  func passwords() throws {
    let wrong = try refusal(address(password: "wrong%2Fhush"))
    #expect(wrong.contains("password authentication failed") && wrong.contains("check the user's name and password"))
    #expect(wrong.contains("database postgres on localhost:\(server.port) as reader"), "\(wrong)")
    let missing = try refusal(address(password: nil, "&passfile=/nonexistent"))
    #expect(missing.contains("no password supplied") && missing.contains("check the user's name and password"))
    let unknown = try refusal(address("nobody"))
    #expect(unknown.contains("as nobody"), "\(unknown)")
    // The same in words of libpq, and as a parameter.
    let quoted = SecureServer.password.replacing("'", with: "\\'")
    let words = "host=localhost hostaddr=127.0.0.1 port=\(server.port) dbname=postgres user=reader password='\(quoted)'"
    #expect(try isEncrypted(words))
    #expect(try isEncrypted(address(password: nil, "&password=\(Self.encoded)")))
    // A slash or an at sign as it is gives the rest of the password another meaning.
    _ = try refusal(address(password: SecureServer.password.replacing("%", with: "%25")))
  }

  @Test("No statement and no line of the log has the password")
  func log() throws {
    let folder = try TemporaryStore()
    let lines = Mutex<[String]>([])
    let connection = try Connection(ServerAddress(address()), deadline: 5)
    connection.onStatementEnd = ServerLog.onStatementEnd(level: 4) { line in lines.withLock { $0.append(line) } }
    try connection.run("SELECT $1::text", [.text("a")])
    #expect(throws: PostgreSQLError.self) { try connection.execute("SELECT nothing") }
    var configuration = PostgreSQLConfiguration(address(), databaseSchema: folder.databaseSchema)
    let statements = Mutex<[String]>([])
    configuration.log = { sql in statements.withLock { $0.append(sql) } }
    let container = try ModelContainer(for: Schema([Note.self]), configurations: [configuration])
    let context = ModelContext(container)
    context.insert(Note("a"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Note>()) == 1)
    let all = lines.withLock { $0 } + statements.withLock { $0 }
    #expect(all.count > 5)
    Self.expectNoSecret(all, container, container.configurations, context)
  }

  @Test("What the address leaves out comes from the environment and from the file of passwords")
  func environment() async throws {
    let folder = try TemporaryStore()
    let file = folder.folder.appendingPathComponent("passwords").path
    let escaped = SecureServer.password.replacing(":", with: "\\:")
    try "localhost:*:*:reader:\(escaped)\n".write(toFile: file, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    // In a process of its own, whose environment no other test has.
    await #expect(processExitsWith: .success) {
      [port = server.port as UInt16, certificate = server.certificate as String, file = file as String] in
      try SecureConnectionTests.expectEnvironment(port, certificate, file)
    }
  }

  private static func expectEnvironment(_ port: UInt16, _ certificate: String, _ file: String) throws {
    setenv("PGHOST", "localhost", 1)
    setenv("PGHOSTADDR", "127.0.0.1", 1)
    setenv("PGPORT", "\(port)", 1)
    setenv("PGUSER", "guarded", 1)
    setenv("PGDATABASE", "postgres", 1)
    #expect(try ServerAddress("").description == "database postgres on localhost:\(port) as guarded")
    func user(_ address: String = "") throws -> String? {
      try Connection(ServerAddress(address), deadline: 5).run("SELECT current_user::text").text(0, 0)
    }
    func expectRefused(_ words: String, sourceLocation: SourceLocation = #_sourceLocation) {
      let error = #expect(throws: PostgreSQLError.self, sourceLocation: sourceLocation) { try user() }
      guard let error else { return }
      #expect("\(error)".contains(words), "\(error)", sourceLocation: sourceLocation)
      expectNoSecret(error, sourceLocation: sourceLocation)
    }
    setenv("PGPASSFILE", "/nonexistent", 1)
    expectRefused("no password supplied")
    setenv("PGPASSWORD", "wrong/hush", 1)
    expectRefused("password authentication failed")
    setenv("PGPASSWORD", SecureServer.password, 1)
    #expect(try user() == "guarded")
    // The address comes first.
    #expect(try user("postgresql://reader@/") == "reader")
    unsetenv("PGPASSWORD")
    setenv("PGPASSFILE", file, 1)
    expectRefused("no password supplied")
    setenv("PGUSER", "reader", 1)
    #expect(try user() == "reader")
    setenv("PGSSLMODE", "verify-full", 1)
    setenv("PGSSLROOTCERT", "/nonexistent", 1)
    expectRefused("root certificate")
    setenv("PGSSLROOTCERT", certificate, 1)
    #expect(try user() == "reader")
    setenv("PGDATABASE", "nowhere", 1)
    expectRefused("nowhere")
  }
}
