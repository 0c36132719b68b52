import Foundation
import TestSupport
import Testing

@testable import ModelGenerator

@Suite("Sample models")
struct SampleModelTests {
  @Test("The library becomes its golden files") func library() throws {
    let output = try ModelGenerator().generate(.reading(SampleModels.library))
    try GoldenFolder("Library").compare(output.files)
  }

  @Test("For Apple's API and the whole package the library becomes other golden files") func apple() throws {
    let generator = ModelGenerator(options: .init(dialect: .apple, access: .package))
    let output = try generator.generate(.reading(SampleModels.library))
    try GoldenFolder("LibraryForApple").compare(output.files)
  }

  @Test("What Apple's API cannot say is a warning for each item") func losses() throws {
    let generator = ModelGenerator(options: .init(dialect: .apple))
    let notes = try generator.generate(.reading(SampleModels.library)).notes
    let lost = Set(notes.filter { $0.severity == .warning && $0.version == "Library 3" }.map(\.subject))
    let reason = ", which Apple's API cannot express"
    #expect(
      lost == [
        "Item: not expressed: that the entity is abstract\(reason)",
        "Member: not expressed: the hash modifier “member”\(reason)",
        "Member: not expressed: the former name “Borrower”\(reason)",
        "Member.friends: not expressed: that the relationship is its own inverse\(reason)",
        "Book.chapters: not expressed: the order of its objects\(reason)",
        "ReadingList.items: not expressed: the order of its objects\(reason)",
      ])
    let open = try ModelGenerator().generate(.reading(SampleModels.library)).notes
    #expect(open.allSatisfy { $0.severity == .note })
  }

  @Test("Equal input gives equal bytes") func determinism() throws {
    let first = try ModelGenerator().generate(.reading(SampleModels.library))
    for _ in 1...3 {
      #expect(try ModelGenerator().generate(.reading(SampleModels.library)) == first)
    }
  }

  @Test("Generated text is formatted already", .enabled(if: Self.hasFormatter, "needs swift format"))
  func formatting() throws {
    for dialect in ["Library", "LibraryForApple"] {
      let folder = GoldenFolder(dialect).url
      let configuration = Fixtures.packageRoot.appendingPathComponent(".swift-format").path
      let result = try RunningProgram.run(
        "swift", ["format", "lint", "--strict", "--recursive", "--configuration", configuration, folder.path],
        mergesErrors: true)
      #expect(result.status == 0, "\(result.output)")
    }
  }

  private static let hasFormatter = (try? RunningProgram.run("swift", ["format", "--version"]).status) == 0
}
