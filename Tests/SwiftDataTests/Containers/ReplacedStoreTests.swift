import Foundation
import SwiftData
import TestSupport
import Testing

@Suite("A store whose file is removed while a container has it open")
struct ReplacedStoreTests {
  private typealias Author = ContextLibrary.Author

  @Test("A save throws and keeps the changes, which are saved when the file is back", arguments: [false, true])
  func moved(isReplaced: Bool) throws {
    let folder = try TemporaryStore()
    let context = ModelContext(try ContextLibrary.container(folder))
    context.insert(Author("first"))
    try context.save()
    let away = URL(fileURLWithPath: folder.url.path + "-away")
    try FileManager.default.moveItem(at: folder.url, to: away)
    if isReplaced { try Data("another file".utf8).write(to: folder.url) }
    context.insert(Author("second"))
    let error = try #require(throws: SwiftDataError.self) { try context.save() }
    #expect("\(error)".contains("was removed, moved or replaced while it was open"), "\(error)")
    #expect(context.hasChanges && context.insertedModelsArray.count == 1)
    if isReplaced {
      #expect(try Data(contentsOf: folder.url) == Data("another file".utf8))
      try FileManager.default.removeItem(at: folder.url)
    } else {
      #expect(!FileManager.default.fileExists(atPath: folder.url.path))
    }
    try FileManager.default.moveItem(at: away, to: folder.url)
    try context.save()
    let other = ModelContext(try ContextLibrary.container(folder))
    #expect(try other.fetch(FetchDescriptor<Author>()).map(\.name).sorted() == ["first", "second"])
  }
}
