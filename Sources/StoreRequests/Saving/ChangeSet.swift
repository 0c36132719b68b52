/// All changes that one save writes, ordered by entity and key.
package struct ChangeSet {
  package var insertions: [Insertion] = []
  package var updates: [Update] = []
  package var deletions: [Deletion] = []
  package var relationshipChanges: [RelationshipChange] = []
  /// Changes of rows by predicates, in their order. The save makes them before all other changes.
  ///
  /// No other change concerns a row that they change, and no inserted row refers to a row that they delete. Only for an engine
  /// with ``StoreCapabilities/batch``.
  package var batches: [BatchChange] = []
  /// A deletion that the store makes by itself; then this is the only change. Only for the engine that the request is made for.
  package var deletion: (any DeletionRequest)?
  /// `NSManagedObjectContext.transactionAuthor`, for the history (CD-7).
  package var author: String?
  /// The treatment of insertions whose unique values a row has, in the store or in this change set.
  package var duplicates = DuplicatePolicy.overwrite
  /// `NSManagedObjectContext.name`, for the history (CD-7).
  package var contextName: String?
  /// The context that saves, for an engine that works on its objects; `nil` if no context saves.
  package var requester: AnyObject?

  package init() {}

  package var isEmpty: Bool {
    insertions.isEmpty && updates.isEmpty && deletions.isEmpty && relationshipChanges.isEmpty
      && batches.isEmpty && deletion == nil
  }

  package enum DuplicatePolicy: Sendable {
    /// The row takes the values of the insertion (upsert).
    case overwrite
    /// The row keeps its values, and stands for the insertion.
    case keep
    /// The save fails with ``SaveError/notUnique(entity:properties:clashes:)``.
    case fail
  }

  /// A new object. The store assigns its key in the transaction that writes it (CD-6).
  package struct Insertion {
    package var entity: Int32
    /// The properties that the source binds, in this order. The other properties are written as `NULL`.
    package var columns: [ColumnSelection]
    package var source: any RowSource
    /// The key of the object's deleted row. The new row gets it again, unless another row has it.
    ///
    /// An engine that names new rows by itself may ignore it.
    package var formerKey: Int64?

    package init(entity: Int32, columns: [ColumnSelection], source: any RowSource, formerKey: Int64? = nil) {
      self.entity = entity
      self.columns = columns
      self.source = source
      self.formerKey = formerKey
    }
  }

  /// New values of some properties of an existing row, whose version grows by one.
  package struct Update {
    package var object: ObjectKey
    /// The version as last read: another version of the row is a conflict. `nil` overwrites any version.
    package var version: Int64?
    /// The changed properties that the source binds, in this order; empty if only a to-many relationship changed.
    package var columns: [ColumnSelection]
    /// The names of all changed properties, to-many relationships included, for the history (CD-7).
    package var changedProperties: [String]
    package var source: any RowSource

    package init(
      object: ObjectKey, version: Int64?, columns: [ColumnSelection], changedProperties: [String],
      source: any RowSource
    ) {
      self.object = object
      self.version = version
      self.columns = columns
      self.changedProperties = changedProperties
      self.source = source
    }
  }

  package struct Deletion {
    package var object: ObjectKey
    /// The version as last read; `nil` deletes any version.
    package var version: Int64?

    package init(object: ObjectKey, version: Int64?) {
      self.object = object
      self.version = version
    }
  }

  /// A reference to an existing row, or to a row that this change set inserts.
  package enum Reference: Hashable, Sendable {
    case existing(ObjectKey)
    /// An index into ``ChangeSet/insertions``.
    case inserted(Int)
  }

  /// Changes of the pairs of a many-to-many relationship, of the keys of a to-many relationship without inverse, or of the order of
  /// an ordered relationship.
  ///
  /// The key of the to-one side writes a one-to-many relationship, which needs this only for its order.
  package struct RelationshipChange {
    package var owner: Reference
    /// The name of the to-many relationship in the model. Of two inverses only one is listed; see ``StoreRelationship/Storage``.
    package var relationship: String
    package var added: [Reference]
    package var removed: [Reference]
    /// The complete new order of an ordered relationship (CD-3.4).
    package var order: [Reference]?

    package init(
      owner: Reference, relationship: String, added: [Reference] = [], removed: [Reference] = [],
      order: [Reference]? = nil
    ) {
      self.owner = owner
      self.relationship = relationship
      self.added = added
      self.removed = removed
      self.order = order
    }
  }
}

/// The source of a row's values: a model object, or a row of plain values.
package protocol RowSource: AnyObject {
  /// Binds the values of the listed columns, in their order and width (see ``ColumnSelection``).
  func bind(_ columns: [ColumnSelection], into binder: inout RowBinder) throws

  /// Receives the row's key before any row of the save is bound, so that foreign keys can be written.
  ///
  /// - Parameter wasMerged: whether a row with the same unique values existed, which takes the new values or keeps its own.
  func assign(_ object: ObjectKey, wasMerged: Bool)
}

/// The result of a save.
package struct SaveResult: Sendable {
  /// The key and the new version of each insertion, in the change set's order.
  package var inserted: [(object: ObjectKey, version: Int64)]
  /// The new versions of the updated rows, in the change set's order.
  package var updatedVersions: [Int64]
  /// Insertions whose unique values an existing row has: the index of the insertion, and that row.
  package var merged: [(insertion: Int, object: ObjectKey)]
  /// Rows that changed only their place among the members of their owner (CD-3.4); their versions have grown by one.
  package var moved: [ObjectKey] = []
  /// Rows whose to-one key the save changed so that both keys of a one-to-one relationship agree. Some of them it also wrote for another
  /// reason; the versions of the others have grown by one.
  package var relinked: [ObjectKey] = []
  /// The number of the history transaction (CD-7); `nil` if nothing was recorded.
  package var transaction: Int64?
  /// The position in the history after the save, of an engine whose positions are no numbers.
  package var position: (any Sendable)?
  /// Rows in which triggers changed a value, also rows that the save wrote. Their versions stay (CD-8).
  package var affected: [ObjectKey] = []
  /// The rows that batch changes deleted and updated, each ordered by entity and key.
  package var batchDeleted: [ObjectKey] = []
  package var batchUpdated: [ObjectKey] = []

  package init(
    inserted: [(object: ObjectKey, version: Int64)] = [], updatedVersions: [Int64] = [],
    merged: [(insertion: Int, object: ObjectKey)] = [], transaction: Int64? = nil
  ) {
    self.inserted = inserted
    self.updatedVersions = updatedVersions
    self.merged = merged
    self.transaction = transaction
  }
}
