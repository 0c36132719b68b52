import Foundation
import Testing

@testable import SwiftData

@Model final class MetadataBook {
  #Unique<MetadataBook>([\.isbn])
  @Attribute(.spotlight) var isbn: String
  var pages = 7
  init(isbn: String) { self.isbn = isbn }
}

@Suite struct PropertyMetadataTests {
  private func parts(of metadata: Schema.PropertyMetadata) -> [String: Any] {
    Dictionary(
      uniqueKeysWithValues: Mirror(reflecting: metadata).children.compactMap { child in
        child.label.map { ($0, child.value) }
      })
  }

  @Test func `Reflection shows the parts of a property's metadata under Apple's labels`() throws {
    let metadata = MetadataBook.schemaMetadata
    #expect(
      Mirror(reflecting: metadata[0]).children.map(\.label) == ["name", "keypath", "defaultValue", "metadata"])
    let isbn = parts(of: metadata[0])
    #expect(isbn["name"] as? String == "isbn" && isbn["keypath"] as? AnyKeyPath == \MetadataBook.isbn)
    #expect(isbn["keypath"] is PartialKeyPath<MetadataBook> && (isbn["metadata"] as? Schema.Attribute) != nil)
    let pages = parts(of: metadata[1])
    #expect(pages["defaultValue"] as? Int == 7 && (pages["metadata"] as? any SchemaProperty) == nil)
    let unique = parts(of: metadata[2])
    #expect(unique["metadata"] is Schema.Unique<MetadataBook>)
    // As in Apple's framework, by what programs read there.
    #expect(unique["name"] as? String == "SwiftData.Schema.Unique")
    #expect(unique["keypath"] as? AnyKeyPath == \Schema.encodingVersion)
  }
}
