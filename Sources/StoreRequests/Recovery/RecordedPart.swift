/// One store's part of a save, in names and plain values, so that it can be made again.
///
/// A new object has no key in the record: its row gets a key when the part is made again. Rows that the save changed or deleted have
/// the version that they had before the save; with another version, the part is not made again.
package struct RecordedPart {
  package let store: String
  /// The store's description, for messages.
  package let storeName: String
  var author: String?
  var contextName: String?
  /// 1 if the part changes rows by a predicate, which a record does not keep.
  var hasBatches: Int64
  var entities: [Entity] = []
  var insertions: [Row] = []
  var updates: [Row] = []
  var deletions: [Object] = []
  var links: [Link] = []

  /// The entity of recorded rows, with its properties at that time.
  struct Entity: Hashable {
    var name: String
    var shape: String
  }

  /// An object: its entity's place in the record, and its key and version, or for a new object its place among the insertions.
  struct Object: Hashable {
    var entity: Int64
    var key: Int64 = 0
    var version: Int64?
    var insertion: Int64?
  }

  struct Row {
    var object: Object
    var changedProperties: [String] = []
    var columns: [Column] = []
  }

  /// The content of a property: values, or an object, or `nil` for no object.
  struct Column {
    var name: String
    var values: [StoreValue]?
    var object: Object?
  }

  struct Link {
    var owner: Object
    var relationship: String
    var added: [Object]
    var removed: [Object]
    var order: [Object]?
  }
}

extension RecordedPart {
  /// Records a part that a store has written and not yet committed.
  ///
  /// - Parameters:
  ///   - changes: the part, whose sources know the keys that the save assigned.
  ///   - deletedVersions: the versions of the deleted rows, as last read; 0 if unknown.
  /// - Throws: ``QueryError``, or an error of a source.
  package init(
    of changes: ChangeSet, _ result: SaveResult, deletedVersions: [Int64], in store: any StoreEngine, storeName: String
  ) throws {
    self.store = store.identifier
    self.storeName = storeName
    (author, contextName) = (changes.author, changes.contextName)
    hasBatches = changes.batches.isEmpty ? 0 : 1
    var recorder = Recorder(entities: store.entities)
    let merged = Set(result.merged.map(\.insertion))
    for (index, new) in result.inserted.enumerated() where !merged.contains(index) {
      recorder.newRows[new.object] = Int64(recorder.newRows.count)
    }
    // Several insertions with the same unique values, and an update, may have become one row.
    var places: [ObjectKey: Int] = [:]
    for (update, version) in zip(changes.updates, result.updatedVersions) {
      places[update.object] = updates.count
      updates.append(
        try recorder.row(
          update.object, version: version - 1, update.columns, update.source, update.changedProperties))
    }
    for (index, insertion) in changes.insertions.enumerated() {
      let (object, version) = result.inserted[index]
      if merged.contains(index), changes.duplicates == .keep { continue }
      let row = try recorder.row(
        object, version: version - 1, insertion.columns, insertion.source, insertion.columns.map(\.propertyName))
      if let place = recorder.newRows[object] {
        if Int(place) < insertions.count { insertions[Int(place)].merge(row) } else { insertions.append(row) }
      } else if let place = places[object] {
        updates[place].merge(row)
      } else {
        places[object] = updates.count
        updates.append(row)
      }
    }
    for (deletion, version) in zip(changes.deletions, deletedVersions) {
      deletions.append(
        try recorder.object(deletion.object, version: deletion.version ?? (version > 0 ? version : nil)))
    }
    for change in changes.relationshipChanges {
      func object(_ reference: ChangeSet.Reference) throws -> Object {
        switch reference {
        case .existing(let object): try recorder.object(object)
        case .inserted(let index): try recorder.object(result.inserted[index].object)
        }
      }
      links.append(
        Link(
          owner: try object(change.owner), relationship: change.relationship, added: try change.added.map(object),
          removed: try change.removed.map(object), order: try change.order?.map(object)))
    }
    entities = recorder.recorded
  }

  private struct Recorder {
    let entities: EntityTable
    /// The place of each new row among the recorded insertions.
    var newRows: [ObjectKey: Int64] = [:]
    private(set) var recorded: [Entity] = []
    private var places: [Int32: Int64] = [:]

    init(entities: EntityTable) { self.entities = entities }

    mutating func object(_ object: ObjectKey, version: Int64? = nil) throws -> Object {
      var place = places[object.entity]
      if place == nil {
        guard let entity = entities.entity(numbered: object.entity) else {
          throw QueryError.unknownEntity(name: "\(object.entity)", nearest: nil)
        }
        place = Int64(recorded.count)
        places[object.entity] = place
        recorded.append(Entity(name: entity.name, shape: entity.shape))
      }
      let insertion = newRows[object]
      return Object(
        entity: place ?? 0, key: insertion == nil ? object.key : 0, version: insertion == nil ? version : nil,
        insertion: insertion)
    }

    mutating func row(
      _ key: ObjectKey, version: Int64, _ columns: [ColumnSelection], _ source: any RowSource, _ changed: [String]
    ) throws -> Row {
      var row = Row(object: try object(key, version: version), changedProperties: changed)
      for column in columns {
        let sink = ValueSink()
        var binder = RowBinder(sink, startingAt: 1)
        try source.bind([column], into: &binder)
        switch try entities.property(column.propertyName, of: entities.existingEntity(column.entityName)) {
        case .toOne:
          var destination: Object?
          if case .integer(let key)? = sink.values.first, case .integer(let entity)? = sink.values.last {
            destination = try object(ObjectKey(entity: Int32(truncatingIfNeeded: entity), key: key))
          }
          row.columns.append(Column(name: column.propertyName, object: destination))
        case .attribute, .toMany: row.columns.append(Column(name: column.propertyName, values: sink.values))
        }
      }
      return row
    }
  }
}

extension RecordedPart.Row {
  /// Takes the values of a later change of the same row.
  fileprivate mutating func merge(_ other: Self) {
    let names = Set(other.columns.map(\.name))
    columns = columns.filter { !names.contains($0.name) } + other.columns
    changedProperties += other.changedProperties.filter { !changedProperties.contains($0) }
  }
}

extension StoreEntity {
  /// The names and widths of the properties; another text tells that the entity has changed.
  var shape: String { properties.map { "\($0.name) \($0.width)" }.joined(separator: ", ") }
}
