import CoreDataStore
package import Foundation

/// A summary of a store: for people, and as JSON for programs.
///
/// A store without a known or fitting model is summarised as far as possible.
package struct StoreSummary: Sendable, Hashable, Encodable {
  package let path: String
  /// `Z_UUID`; `nil` if it is not a UUID.
  package let identifier: String?
  package let framework: Framework
  package let file: File
  package let model: Model
  /// Entries of the property list other than the hashes, by name.
  package let metadata: [MetadataEntry]
  /// In the order of their numbers. Their properties are unknown if the model is.
  package let entities: [Entity]
  /// All tables, in order of creation.
  package let tables: [Table]
  package let indexes: [Index]
  package let triggers: [Trigger]
  /// `nil` for a store without history tables.
  package let history: History?
  /// `nil` if no attribute allows external storage.
  package let externalData: ExternalFiles?

  package struct Framework: Sendable, Hashable, Encodable {
    /// `NSPersistenceFrameworkVersion`; 0 if it is not stated.
    package let version: Int
    /// The operating systems that it came with.
    package let release: String?
    /// `NSPersistenceMaximumFrameworkVersion`.
    package let maximumVersion: Int?
  }

  package struct File: Sendable, Hashable, Encodable {
    package let size: Int64
    /// The bytes of the `-wal`; `nil` if there is none.
    package let logSize: Int64?
    /// The bytes of the `-journal` that a crash leaves behind; `nil` if there is none.
    package let journalSize: Int64?
    package let pageSize: Int
    package let pageCount: Int64
    package let freePages: Int64
    /// `none`, `full` or `incremental`.
    package let autoVacuum: String
    /// `wal` or `delete`.
    package let journalMode: String
    package let encoding: String
  }

  package struct Model: Sendable, Hashable, Encodable {
    /// `store`, `given`, or `none`.
    package let source: String
    /// The reason why there is no model, or why it does not fit.
    package let problem: String?
    /// As the metadata has them.
    package let versionIdentifiers: [String]
    /// The number of entities with hashes in the metadata.
    package let hashedEntities: Int
  }

  package struct MetadataEntry: Sendable, Hashable, Encodable {
    package let name: String
    /// The value on one line; for data, its size.
    package let value: String
    /// Whether Core Data writes this key, and not an application.
    package let isKnown: Bool
  }

  package struct Entity: Sendable, Hashable, Encodable {
    package let number: Int
    package let name: String
    package let superentity: String?
    package let isAbstract: Bool
    package let className: String?
    package let table: String
    /// The number of rows of exactly this entity; `nil` if the table cannot be read.
    package let count: Int64?
    /// The version hash in the metadata, in hexadecimal digits.
    package let hash: String?
    /// Includes inherited attributes. Transient attributes have no columns. `nil` if the model is not known.
    package let attributes: [Attribute]?
    /// `nil` if the model is not known.
    package let relationships: [Relationship]?
    package let fetchedProperties: [String]
    /// The names of properties in the entity's own constraints.
    package let uniquenessConstraints: [[String]]
    package let fetchIndexes: [String]
  }

  package struct Attribute: Sendable, Hashable, Encodable {
    package let name: String
    package let type: String
    package let isOptional: Bool
    /// The superentity that declares the attribute; `nil` if the entity itself does.
    package let inheritedFrom: String?
    /// One column, or one for each element of a composite. A transient attribute has none.
    package let columns: [Column]
    /// `transient`, `derived: …`, `external storage`, `kept in history`, `transformer: …`, ….
    package let traits: [String]
  }

  package struct Column: Sendable, Hashable, Encodable {
    package let name: String
    /// The element of a composite in this column; `nil` for the attribute itself.
    package let element: String?
  }

  package struct Relationship: Sendable, Hashable, Encodable {
    package let name: String
    /// `to-one`, `to-many` or `ordered to-many`.
    package let kind: String
    package let destination: String
    package let inverse: String?
    package let isOptional: Bool
    package let inheritedFrom: String?
    /// `noAction`, `nullify`, `cascade` or `deny`.
    package let deleteRule: String
    /// The place of its keys: `ZBOOK.ZSHELF`, or the join table.
    package let storage: String
  }

  package struct Table: Sendable, Hashable, Encodable {
    package let name: String
    package let kind: Kind
    /// `nil` if the table cannot be read.
    package let rows: Int64?
    /// The bytes of its pages; `nil` if SQLite was built without `dbstat`.
    package let bytes: Int64?
    /// The bytes of its indexes.
    package let indexBytes: Int64?

    package enum Kind: String, Sendable, Hashable, Encodable {
      case entity, join, bookkeeping, history, location, cloudKit, other
    }
  }

  package struct Index: Sendable, Hashable, Encodable {
    package let name: String
    package let table: String
    /// `key`, `join`, `entity`, `fetch`, `unique`, `history`, or `other`.
    package let kind: String
    package let columns: [String]
    package let isUnique: Bool
    package let isPartial: Bool
    package let bytes: Int64?
  }

  package struct Trigger: Sendable, Hashable, Encodable {
    package let name: String
    package let table: String
  }

  package struct History: Sendable, Hashable, Encodable {
    package let transactions: Int64
    package let changes: Int64
    package let inserts: Int64
    package let updates: Int64
    package let deletes: Int64
    /// The times of the first and the last transaction.
    package let first: Date?
    package let last: Date?
    /// The number of transactions by author, the most frequent first; `nil` is the group without an author.
    package let authors: [Author]

    package struct Author: Sendable, Hashable, Encodable {
      package let name: String?
      package let transactions: Int64
    }
  }
}
