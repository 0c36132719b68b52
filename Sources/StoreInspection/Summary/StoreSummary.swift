import CoreDataStore
package import Foundation

/// What is in a store: for people who look into one, and as JSON for programs.
///
/// A store whose model is not known, or does not fit, is summed up as far as it goes.
package struct StoreSummary: Sendable, Hashable, Encodable {
  package let path: String
  /// `Z_UUID`; `nil` where it is none.
  package let identifier: String?
  package let framework: Framework
  package let file: File
  package let model: Model
  /// Entries of the property list beside the hashes, by name.
  package let metadata: [MetadataEntry]
  /// In order of their numbers; without properties where the model is not known.
  package let entities: [Entity]
  /// All tables, in order of creation.
  package let tables: [Table]
  package let indexes: [Index]
  package let triggers: [Trigger]
  /// `nil` for a store without tables of history.
  package let history: History?
  /// `nil` where no attribute may be kept in files.
  package let externalData: ExternalFiles?

  package struct Framework: Sendable, Hashable, Encodable {
    /// `NSPersistenceFrameworkVersion`; 0 where it is not said.
    package let version: Int
    /// The systems that it came with.
    package let release: String?
    /// `NSPersistenceMaximumFrameworkVersion`.
    package let maximumVersion: Int?
  }

  package struct File: Sendable, Hashable, Encodable {
    package let size: Int64
    /// Of the `-wal` beside it; `nil` where there is none.
    package let logSize: Int64?
    /// Of the `-journal` beside it, which a crash leaves behind; `nil` where there is none.
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
    /// Why there is none, or why it does not fit.
    package let problem: String?
    /// As the metadata has them.
    package let versionIdentifiers: [String]
    /// How many entities the metadata has hashes of.
    package let hashedEntities: Int
  }

  package struct MetadataEntry: Sendable, Hashable, Encodable {
    package let name: String
    /// The value on one line; that of data is its size.
    package let value: String
    /// Whether Core Data writes it, and not an application.
    package let isKnown: Bool
  }

  package struct Entity: Sendable, Hashable, Encodable {
    package let number: Int
    package let name: String
    package let superentity: String?
    package let isAbstract: Bool
    package let className: String?
    package let table: String
    /// Rows that are exactly of this entity; `nil` where the table cannot be read.
    package let count: Int64?
    /// The version hash in the metadata, in hexadecimal digits.
    package let hash: String?
    /// Inherited ones included; transient ones have no columns.
    package let attributes: [Attribute]
    package let relationships: [Relationship]
    package let fetchedProperties: [String]
    /// Names of properties; the entity's own.
    package let uniquenessConstraints: [[String]]
    package let fetchIndexes: [String]
  }

  package struct Attribute: Sendable, Hashable, Encodable {
    package let name: String
    package let type: String
    package let isOptional: Bool
    /// The superentity that declares it; `nil` for the entity itself.
    package let inheritedFrom: String?
    /// One; those of a composite's elements; none for a transient attribute.
    package let columns: [Column]
    /// `transient`, `derived: …`, `external storage`, `kept in history`, `transformer: …`, ….
    package let traits: [String]
  }

  package struct Column: Sendable, Hashable, Encodable {
    package let name: String
    /// The element of a composite that it holds; `nil` for the attribute itself.
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
    /// Where it is kept: `ZBOOK.ZSHELF`, or the table of pairs.
    package let storage: String
  }

  package struct Table: Sendable, Hashable, Encodable {
    package let name: String
    package let kind: Kind
    /// `nil` where it cannot be read.
    package let rows: Int64?
    /// Bytes of its pages; `nil` where SQLite was built without `dbstat`.
    package let bytes: Int64?
    /// Bytes of its indexes.
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
    /// When the first and the last transaction were written.
    package let first: Date?
    package let last: Date?
    /// Transactions by their authors, the most frequent first; `nil` for those without.
    package let authors: [Author]

    package struct Author: Sendable, Hashable, Encodable {
      package let name: String?
      package let transactions: Int64
    }
  }
}
