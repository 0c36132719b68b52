package import ManagedModel

/// Small models written for these tests.
package enum SampleModel {
  /// Books with a subentity and a unique code on ordered shelves, and genres shared by books.
  package static let library = ModelDescription(
    entities: [
      EntityDescription(
        name: "Shelf",
        properties: [
          .attribute(AttributeDescription(name: "label", type: .string)),
          .relationship(
            RelationshipDescription(
              name: "books", destinationEntityName: "Book", inverseName: "shelf", isOrdered: true, maximumCount: 0)),
          .relationship(
            RelationshipDescription(name: "favorites", destinationEntityName: "Novel", isOrdered: true, maximumCount: 0)
          ),
        ]),
      EntityDescription(
        name: "Book",
        properties: [
          .attribute(AttributeDescription(name: "title", type: .string)),
          .attribute(AttributeDescription(name: "code", type: .uuid)),
          .attribute(AttributeDescription(name: "price", type: .decimal, isOptional: true)),
          .attribute(AttributeDescription(name: "pages", type: .integer32)),
          .attribute(AttributeDescription(name: "bought", type: .date, isOptional: true)),
          .attribute(AttributeDescription(name: "cover", type: .binary, preservesValueInHistoryOnDeletion: true)),
          .relationship(
            RelationshipDescription(name: "shelf", destinationEntityName: "Shelf", inverseName: "books")),
          .relationship(
            RelationshipDescription(
              name: "genres", destinationEntityName: "Genre", inverseName: "books", isOrdered: true, maximumCount: 0)),
          .relationship(
            RelationshipDescription(
              name: "related", destinationEntityName: "Book", inverseName: "related", maximumCount: 0)),
        ],
        uniquenessConstraints: [["code"]],
        fetchIndexes: [
          FetchIndexDescription(
            name: "byTitle",
            elements: [
              .init(subject: .property("title"), isAscending: false), .init(subject: .expression("entity")),
            ], partialIndexPredicate: "pages > 10 AND bought != nil")
        ]),
      EntityDescription(
        name: "Novel", superentityName: "Book",
        properties: [
          .attribute(AttributeDescription(name: "hero", type: .string, isOptional: true)),
          .relationship(
            RelationshipDescription(name: "sequel", destinationEntityName: "Book", inverseName: nil)),
        ]),
      EntityDescription(
        name: "Genre",
        properties: [
          .attribute(AttributeDescription(name: "name", type: .string)),
          .relationship(
            RelationshipDescription(
              name: "books", destinationEntityName: "Book", inverseName: "genres", maximumCount: 0)),
        ]),
    ], versionIdentifiers: ["1.0.0"])

  /// Two entities that know nothing of each other.
  package static let twoIslands = ModelDescription(entities: [
    EntityDescription(name: "Note", properties: [.attribute(AttributeDescription(name: "text", type: .string))]),
    EntityDescription(name: "Tag", properties: [.attribute(AttributeDescription(name: "name", type: .string))]),
  ])
}
