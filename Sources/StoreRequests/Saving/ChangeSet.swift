/// Everything one save writes, in the order in which it is to be written: by entity, then by key.
package struct ChangeSet {
  package var insertions: [Insertion] = []
  package var updates: [Update] = []
  package var deletions: [Deletion] = []
  package var relationshipChanges: [RelationshipChange] = []
  /// `NSManagedObjectContext.transactionAuthor`, for the history (CD-7).
  package var author: String?
  /// `NSManagedObjectContext.name`, for the history (CD-7).
  package var contextName: String?

  package init() {}

  package var isEmpty: Bool {
    insertions.isEmpty && updates.isEmpty && deletions.isEmpty && relationshipChanges.isEmpty
  }

  /// A new object; its key is assigned by the store, in the transaction that writes it (CD-6).
  package struct Insertion {
    package var entity: Int32
    /// Properties the source binds, in its order; the others are written as `NULL`.
    package var columns: [ColumnSelection]
    package var source: any RowSource

    package init(entity: Int32, columns: [ColumnSelection], source: any RowSource) {
      self.entity = entity
      self.columns = columns
      self.source = source
    }
  }

  /// New values of some properties of an existing row; `Z_OPT` grows by one.
  package struct Update {
    package var object: ObjectKey
    /// `Z_OPT` as last read: another value in the row is a conflict; `nil` overwrites whatever is there.
    package var version: Int64?
    /// The changed properties the source binds, in its order; empty where only a to-many relationship changed.
    package var columns: [ColumnSelection]
    /// Names of all changed properties, to-many relationships included, for the history's `ZCOLUMNS` (CD-7).
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
    /// `Z_OPT` as last read; `nil` deletes whatever is there.
    package var version: Int64?

    package init(object: ObjectKey, version: Int64?) {
      self.object = object
      self.version = version
    }
  }

  /// A reference to a row that exists, or to one this change set inserts.
  package enum Reference: Hashable, Sendable {
    case existing(ObjectKey)
    /// An index into ``ChangeSet/insertions``.
    case inserted(Int)
  }

  /// Changes of a many-to-many relationship's rows, of an inverse-less to-many's keys, or of the order of an ordered one.
  ///
  /// One-to-many relationships are written through the to-one side's key and need this only for their order.
  package struct RelationshipChange {
    package var owner: Reference
    /// The persistent name of the to-many relationship; of a pair of inverses only one side is listed.
    package var relationship: String
    package var added: [Reference]
    package var removed: [Reference]
    /// The complete new order where the relationship is ordered; order keys are assigned in the gaps (CD-3.4).
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

/// Something that binds an object's stored values to a statement: a model object, or a row of plain values.
package protocol RowSource: AnyObject {
  /// Binds the values of the listed columns, in their order and width (see ``ColumnSelection``).
  func bind(_ columns: [ColumnSelection], into binder: inout RowBinder) throws

  /// Told the row's key before any row of the save is bound, so that foreign keys can be written; `wasMerged` if a row
  /// with the same unique values existed and takes the new values (upsert).
  func assign(_ object: ObjectKey, wasMerged: Bool)
}

/// What a save did.
package struct SaveResult: Sendable {
  /// Key and new version (`Z_OPT`) of each insertion, in the change set's order.
  package var inserted: [(object: ObjectKey, version: Int64)]
  /// New versions of the updated rows, in the change set's order.
  package var updatedVersions: [Int64]
  /// Insertions that met a row with the same unique values: index of the insertion and the row it became.
  package var merged: [(insertion: Int, object: ObjectKey)]
  /// Rows that only came to another place among their owner's objects (CD-3.4): their versions have grown by one, too.
  package var moved: [ObjectKey] = []
  /// `ATRANSACTION.Z_PK` of the history transaction (CD-7); `nil` if nothing was recorded.
  package var transaction: Int64?
  /// Rows of which triggers changed a value, those that the save wrote itself among them; their versions stay (CD-8).
  package var affected: [ObjectKey] = []

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
