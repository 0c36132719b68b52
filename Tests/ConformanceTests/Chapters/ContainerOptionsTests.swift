import Foundation
import SwiftData
import Testing

/// Options of a `ModelConfiguration` that only stores in files and in memory have.
@Suite("Options of configurations", .temporaryFolder)
struct ContainerOptionsTests {
  @Model final class Draft {
    var text: String
    init(text: String) { self.text = text }
  }

  @Model final class Letter {
    var text: String
    init(text: String) { self.text = text }
  }

  @Test func `a container has the configurations that it was made with`() throws {
    let configuration = ModelConfiguration("Main", isStoredInMemoryOnly: true)
    let container = try ModelContainer(for: Schema([Draft.self]), configurations: [configuration])
    #expect(container.configurations.map(\.name) == ["Main"])
  }

  @Test func `containers in memory do not share objects`() throws {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    let first = ModelContext(try ModelContainer(for: Draft.self, configurations: configuration))
    let second = ModelContext(try ModelContainer(for: Draft.self, configurations: configuration))
    first.insert(Draft(text: "one"))
    try first.save()
    #expect(try second.fetchCount(FetchDescriptor<Draft>()) == 0)
  }

  @Test func `options of groups and of CloudKit are kept`() {
    let configuration = ModelConfiguration(
      "Synced", schema: Schema([Draft.self]), isStoredInMemoryOnly: false, allowsSave: true,
      groupContainer: .identifier("group.org.example"), cloudKitDatabase: .private("iCloud.org.example"))
    #expect(configuration.groupAppContainerIdentifier == "group.org.example")
    #expect(configuration.cloudKitContainerIdentifier == "iCloud.org.example")
    #expect(ModelConfiguration(cloudKitDatabase: .none).cloudKitContainerIdentifier == nil)
  }

  @Test func `a store that names a CloudKit database stands beside one that names none`() throws {
    func place() -> URL { TemporaryFolder.url.appendingPathComponent("\(UUID().uuidString).store") }
    let shared = ModelConfiguration(
      "Shared", schema: Schema([Draft.self]), url: place(), cloudKitDatabase: .private("iCloud.org.example"))
    let local = ModelConfiguration("Local", schema: Schema([Letter.self]), url: place(), cloudKitDatabase: .none)
    let context = ModelContext(try ModelContainer(for: Draft.self, Letter.self, configurations: shared, local))
    let draft = Draft(text: "one")
    let letter = Letter(text: "two")
    context.insert(draft)
    context.insert(letter)
    try context.save()
    let places = [draft.persistentModelID, letter.persistentModelID].compactMap(\.storeIdentifier)
    #expect(Set(places).count == 2, "\(places)")
    #expect(try context.fetchCount(FetchDescriptor<Draft>()) == 1)
    #expect(try context.fetchCount(FetchDescriptor<Letter>()) == 1)
  }
}
