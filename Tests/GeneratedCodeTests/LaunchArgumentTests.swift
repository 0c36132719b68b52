import Foundation
import TestSupport
import Testing

@Suite(
  "Launch arguments of Core Data",
  .enabled(if: BuildProducts.shared != nil, Comment(rawValue: BuildProducts.explanation)))
struct LaunchArgumentTests {
  @Test("A program started with -com.apple.CoreData.SQLDebug logs the SQL of its stores, and values from level 3 on")
  func statements() throws {
    let demo = try #require(BuildProducts.shared).folder.appendingPathComponent("library-demo").path
    let sample = Fixtures.packageRoot.appendingPathComponent("SampleModels/Library.sqlite").path
    func errors(_ further: String...) throws -> String {
      let folder = try TemporaryStore()
      let result = try RunningProgram.run(demo, [sample, folder.folder.appendingPathComponent("demo").path] + further)
      #expect(result.status == 0)
      return result.errors
    }
    let silent = try errors()
    #expect(!silent.contains("SELECT"))
    for level in 1...4 {
      let logged = try errors("-com.apple.CoreData.SQLDebug", "\(level)")
      #expect(logged.contains("SELECT") && logged.contains("INSERT INTO"))
      #expect(logged.contains("To the Lighthouse") == (level >= 3), "level \(level)")
    }
  }
}
