import PostgreSQLTestSupport
import Testing

@testable import PostgreSQL

@Suite("Servers that speak another language")
struct ServerLanguageTests {
  @Test(
    "A refused connection has the server's code, and the way out",
    arguments: [
      ("28P01", "Passwort-Authentifizierung für Benutzer »app« fehlgeschlagen", "password"),
      ("3D000", "Datenbank »library« existiert nicht", "create the database"),
      ("42501", "keine Berechtigung für Datenbank »library«", "grant"),
      ("53300", "tut mir leid, schon zu viele Verbindungen", "max_connections"),
      ("57P03", "das Datenbanksystem startet", "when the server accepts requests"),
    ])
  func refusals(code: String, message: String, remedy: String) throws {
    let server = try FakeServer(refusing: FakeServer.Refusal("SCHWERWIEGEND", code: code, message))
    let address = try ServerAddress(server.address)
    let error = try #require(throws: PostgreSQLError.self) { _ = try Connection(address, deadline: 5) }
    #expect(error.state == SQLState(code) && error.isConnectionLost)
    #expect(error.remedy?.contains(remedy) == true, "\(error)")
    #expect(error.message.contains("SCHWERWIEGEND:  \(message)") && !error.message.contains("fake.c"), "\(error)")
    #expect(!"\(error)".contains("geheim"))
  }

  @Test("The verbose form of a message loses codes and places only")
  func messages() {
    let fatal = VerboseMessage(
      """
      connection to server on socket "/run/s" failed: FATAL:  57P03: the database system is starting up
      LOCATION:  ProcessStartupPacket, postmaster.c:2381
      connection to server at "b" (::1), port 1 failed: ПРЕДУПРЕЖДЕНИЕ:  3D000: база данных "ABCDE: x" не существует
      EMPLACEMENT : InitPostgres, postinit.c:1051
      """)
    #expect(fatal.state == "3D000")
    #expect(
      fatal.text == """
        connection to server on socket "/run/s" failed: FATAL:  the database system is starting up
        connection to server at "b" (::1), port 1 failed: ПРЕДУПРЕЖДЕНИЕ:  база данных "ABCDE: x" не существует
        """)
    for text in [
      "", "server closed the connection unexpectedly\n\tThis probably means, that: 7", "FATAL:  short", "a:  b:  c",
      ":  ",
      "could not translate host name \"a, b:5\"",
    ] {
      #expect(VerboseMessage(text).text == text && VerboseMessage(text).state == nil)
    }
  }
}
