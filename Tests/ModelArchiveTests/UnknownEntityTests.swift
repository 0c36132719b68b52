import ManagedModel
import Testing

@testable import ModelArchive

@Suite("Archives of models that name entities they do not have")
struct UnknownEntityTests {
  @Test("A fetch request for an unknown entity is left out and told, so that the archive can be read again")
  func fetchRequests() throws {
    var model = ModelDescription()
    model.entities = [EntityDescription(name: "Author")]
    model.fetchRequestTemplates = [
      FetchRequestDescription(name: "All", entityName: "Author"),
      FetchRequestDescription(name: "Lost", entityName: "Auhtor"),
    ]
    let read = try ModelArchive.decode(ModelArchive.encode(model))
    #expect(read.fetchRequestTemplates.map(\.name) == ["All"])
    #expect(try ModelArchive.omissions(from: model).contains { $0.contains("“Lost”") })
  }
}
