import Foundation
import SwiftData
import SwiftDataPostgreSQL
import Testing

@testable import PostgreSQL

@Suite("Addresses of databases in messages")
struct AddressTests {
  /// Addresses in every form that the client library documents, with a password that no message may show a part of.
  private static let addresses = [
    "postgresql://app:hush@127.0.0.1:1/library",
    "postgres://app:hush%2Fhush@127.0.0.1:1,127.0.0.1:2/library?sslmode=disable",
    "postgresql://127.0.0.1:1/library?user=app&password=hush",
    "postgresql://127.0.0.1:1/library?user=app&passw%6Frd=h%75sh",
    "postgresql://app:hush@[::1]:1/library",
    "postgresql:///library?host=/tmp/no-such-folder&user=app&password=hush",
    "host=127.0.0.1 port=1 user=app password=hush dbname=library",
    "host = 127.0.0.1 port = 1 user = app password = 'hu\\'hush hush' dbname = library",
    "host=127.0.0.1 port=1 user=app sslpassword=hush dbname=library",
    "host=127.0.0.1 port=1 dbname='postgresql://app:hush@host/library'",
    "host=127.0.0.1 port=1 dbname='library password=hush'",
    // Mistakes that give a part of the password another meaning.
    "postgresql://app:hu/hush@127.0.0.1/library",
    "postgresql://app:1/hush@127.0.0.1/library",
    "postgresql://app:hu@hush@127.0.0.1/library",
    "postgresql://app:hu:hush@127.0.0.1/library?sslmode=off&hush",
    "postgresql://127.0.0.1:1/library?sslmode=disable?password=hush",
    "postgresql://127.0.0.1:1/library?application_name=app&sslmode=hu/hush@host",
    "postgresql://app:1/hush hush@127.0.0.1/library",
    "postgresql://app:hush@[::1", "postgresql://app:hush%zz@host/library", "postgresql://app:hush%00@host/library",
    "postgresql://host/library?password=hush=hush", "postgresql://host/library?password=hush&hush",
    "host=127.0.0.1 password=hu hush dbname=library", "host=127.0.0.1 password='hush dbname=library",
    "host=127.0.0.1 hush=1 dbname=library", "password=hush\0", "hush",
  ]

  @Test("A password is never shown, in whichever form the address has it", arguments: addresses)
  func secrets(text: String) throws {
    func check(_ shown: String) {
      #expect(
        !shown.contains("hush") && !shown.contains("hu/") && !shown.contains("hu@"),
        "\(text.debugDescription): \(shown)")
    }
    let configuration = PostgreSQLConfiguration(text, deadline: 1)
    check("\(configuration)")
    check(configuration.debugDescription)
    var dumped = ""
    dump(configuration, to: &dumped)
    check(dumped)
    do {
      let address = try ServerAddress(text)
      check("\(address)")
      check("\([address])")
      dumped = ""
      dump(address, to: &dumped)
      check(dumped)
      _ = try Connection(address, deadline: 1)
      Issue.record("there is no server at this address")
    } catch { check("\(error)") }
  }

  @Test("The database, the host, the port and the user are shown")
  func shown() throws {
    for text in [
      "postgresql://app%40cloud:hush@db.example:5433/li-brary?sslmode=require",
      "host=db.example port=5433 user=app@cloud password='hush' dbname=li-brary",
    ] {
      #expect(try ServerAddress(text).description == "database li-brary on db.example:5433 as app@cloud")
    }
    // The environment of the tests may give more.
    #expect(try ServerAddress("host=/run/pg dbname=a").description.hasPrefix("database a on /run/pg"))
    #expect(AddressParts(["host": "/run/pg", "dbname": "a"]).description == "database a on /run/pg")
    #expect(
      try ServerAddress("postgresql://app@[fe80::1%25eth0]:5433/a").description
        == "database a on [fe80::1%eth0]:5433 as app")
    #expect(
      AddressParts(["host": "db", "dbname": "our library"]).description == "database “our library” on db")
    #expect(AddressParts([:]).description == "the user's database on the default host")
    #expect(AddressParts(["service": "library"]).description == "the database of the service library")
  }

  @Test("The parts that the environment or a service file gives are shown, and those of the address go before them")
  func defaults() {
    let defaults = ["host": "db.example", "dbname": "library", "user": "app", "port": "5433", "sslmode": "prefer"]
    #expect(AddressParts([:], defaults: defaults).description == "database library on db.example:5433 as app")
    let given = AddressParts(["host": "other", "dbname": "shop", "port": "1"], defaults: defaults)
    #expect(given.description == "database shop on other:1 as app")
    #expect(AddressParts(["hostaddr": "10.0.0.1"], defaults: defaults).description.contains("on 10.0.0.1:5433"))
    // A default is neither a part of the address nor a secret.
    #expect(given.withoutSecrets("sslmode prefer") == "sslmode prefer")
    #expect(AddressParts([:], defaults: ["host": "a b"]).description == "the user's database on the default host")
  }

  @Test("Settings that are no secrets hide no words of a message; secrets and unknown keywords do")
  func ordinaryWords() {
    let message = "database \"library\" does not exist; role \"ghost\"; not in hot standby mode"
    let settings = [
      "application_name": "library", "fallback_application_name": "ghost", "target_session_attrs": "standby",
    ]
    #expect(AddressParts(settings).withoutSecrets(message) == message)
    for keyword in ["password", "sslpassword", "passfile", "sslkey", "options", "some_later_key"] {
      let hidden = AddressParts(settings.merging([keyword: "library"]) { $1 }).withoutSecrets(message)
      #expect(hidden == "database \"…\" does not exist; role \"ghost\"; not in hot standby mode", "\(keyword)")
    }
    // A part of the address after a wrong separator.
    #expect(
      AddressParts(["sslmode": "off?password=hush"]).withoutSecrets("invalid sslmode value: \"off?password=hush\"")
        == "invalid sslmode value: \"…\"")
  }

  @Test("A deadline may be any number of seconds", arguments: [Double.infinity, 1e300, 0, 0.01])
  func deadlines(seconds: Double) throws {
    let configuration = PostgreSQLConfiguration("host=/tmp/no-such-folder", deadline: seconds)
    try configuration.validate()
    #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Schema([Note.self]), configurations: [configuration])
    }
  }

  @Test("A deadline that is no length of time is refused", arguments: [Double.nan, -1, -Double.infinity])
  func noDeadlines(seconds: Double) throws {
    let configuration = PostgreSQLConfiguration("host=/tmp/no-such-folder", deadline: seconds)
    let error = #expect(throws: SwiftDataError.self) { try configuration.validate() }
    #expect(error?.explanation?.contains("deadline") == true)
  }

  @Model final class Note {
    var text: String
    init(_ text: String) { self.text = text }
  }

  @Test("Of two addresses, the message names the one that is wrong")
  func wrongAddress() throws {
    func message(_ address: String, reading readAddress: String) throws -> String {
      let configuration = PostgreSQLConfiguration(address, readAddress: readAddress)
      return try #require(#expect(throws: SwiftDataError.self) { try configuration.validate() }?.explanation)
    }
    #expect(
      try message("host=/run/pg", reading: "postgresql://[::1")
        .hasPrefix("The readAddress of the configuration \"default\" cannot be used: "))
    #expect(
      try message("postgresql://[::1", reading: "host=/run/pg")
        .hasPrefix("The address of the configuration \"default\" cannot be used: "))
  }

  @Test("A connection of the replication protocol is refused", arguments: ["true", "on", "database", "1"])
  func replication(mode: String) throws {
    for text in ["postgresql://host/library?replication=\(mode)", "host=host replication=\(mode)"] {
      let error = #expect(throws: PostgreSQLError.self) { try ServerAddress(text) }
      let message = "\(try #require(error))"
      #expect(message.contains("the replication protocol"))
      #expect(message.hasSuffix(" — leave out the keyword replication"))
    }
    _ = try ServerAddress("host=host replication=off")
  }

  @Test("A store that is opened without a container, and without a schema, gives an error")
  func missingSchema() throws {
    let configuration = PostgreSQLConfiguration("host=/tmp/no-such-folder")
    let error = #expect(throws: SwiftDataError.self) { try PostgreSQLDataStore(configuration) }
    #expect(error?.explanation?.contains("schema") == true)
  }
}
