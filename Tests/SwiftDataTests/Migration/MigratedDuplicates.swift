import SwiftData

/// Versions of notes and tags: the second version's tags are unique by name.
enum MigratedDuplicates: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self, V3.self] }
  static var stages: [MigrationStage] {
    [
      .lightweight(fromVersion: V1.self, toVersion: V2.self),
      .custom(
        fromVersion: V2.self, toVersion: V3.self,
        willMigrate: { context in
          // The light stage has left one tag of each name.
          for tag in try context.fetch(FetchDescriptor<V2.Tag>()) { tag.uses = tag.notes.count }
        }, didMigrate: nil),
    ]
  }

  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self, Tag.self] }

    @Model final class Note {
      var text: String
      var tags: [Tag] = []
      init(text: String, tags: [Tag]) { (self.text, self.tags) = (text, tags) }
    }

    @Model final class Tag {
      var name: String
      var uses: Int
      @Relationship(inverse: \Note.tags) var notes: [Note] = []
      init(name: String, uses: Int) { (self.name, self.uses) = (name, uses) }
    }
  }

  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self, Tag.self] }

    @Model final class Note {
      var text: String
      var tags: [Tag] = []
      init(text: String) { self.text = text }
    }

    @Model final class Tag {
      @Attribute(.unique) var name: String
      var uses: Int
      @Relationship(inverse: \Note.tags) var notes: [Note] = []
      init(name: String, uses: Int) { (self.name, self.uses) = (name, uses) }
    }
  }

  enum V3: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self, Tag.self] }

    @Model final class Note {
      var text: String
      var tags: [Tag] = []
      init(text: String) { self.text = text }
    }

    @Model final class Tag {
      @Attribute(.unique) var name: String
      var uses: Int
      var colour = "grey"
      @Relationship(inverse: \Note.tags) var notes: [Note] = []
      init(name: String, uses: Int) { (self.name, self.uses) = (name, uses) }
    }
  }
}

/// Versions of a tree: the second version's nodes are unique by name.
enum MigratedTree {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Node.self] }

    @Model final class Node {
      var name: String
      var parent: Node?
      @Relationship(inverse: \Node.parent) var children: [Node] = []
      var friends: [Node] = []
      @Relationship(inverse: \Node.friends) var friendOf: [Node] = []
      init(_ name: String) { self.name = name }
    }
  }

  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Node.self] }

    @Model final class Node {
      @Attribute(.unique) var name: String
      var parent: Node?
      @Relationship(inverse: \Node.parent) var children: [Node] = []
      var friends: [Node] = []
      @Relationship(inverse: \Node.friends) var friendOf: [Node] = []
      init(_ name: String) { self.name = name }
    }
  }
}
