import Foundation
import SQLite
import StoreRequests
import Synchronization
import Testing

@testable import CoreDataStore

@Suite("The log of SQL statements")
struct StatementLogTests {
  @Test("The launch argument sets the level; anything else is no level")
  func level() {
    func level(_ arguments: String...) -> Int { StatementLog.level(in: ["program"] + arguments) }
    #expect(level("-com.apple.CoreData.SQLDebug", "3", "-x") == 3)
    #expect(level("-com.apple.CoreData.SQLDebug", "1") == 1)
    #expect(level() == 0 && level("-com.apple.CoreData.SQLDebug") == 0)
    #expect(level("-com.apple.CoreData.SQLDebug", "yes") == 0)
  }

  @Test("Statements are logged with their time, bound values only from level 3 on", arguments: 0...4)
  func statements(level: Int) throws {
    let connection = try Connection.inMemory()
    let lines = Mutex<[String]>([])
    try StatementLog.start(on: connection, level: level) { line in lines.withLock { $0.append(line) } }
    let statement = try connection.statement("SELECT ? AS A")
    try statement.bind("secret", at: 1)
    while try statement.step() {}
    try connection.execute("SELECT 2")
    let texts = lines.withLock { $0 }.map { $0.replacing(/\(\d\.\d{4} s\)/, with: "(time)") }
    switch level {
    case 0: #expect(texts.isEmpty)
    case 1, 2: #expect(texts == ["sql: SELECT ? AS A (time)", "sql: SELECT 2 (time)"])
    default: #expect(texts == ["sql: SELECT 'secret' AS A (time)", "sql: SELECT 2 (time)"])
    }
  }
}
