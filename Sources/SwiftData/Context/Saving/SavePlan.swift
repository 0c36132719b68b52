internal import Foundation
internal import ManagedModel
internal import StoreRequests

/// The changes that one store must write, and their objects.
struct SavePlan {
  let store: OpenStore
  private(set) var changes = ChangeSet()
  /// In the order of the change set.
  private(set) var inserted: [any PersistentModel] = []
  private(set) var updated: [any PersistentModel] = []
  private(set) var deleted: [any PersistentModel] = []
  /// Changed objects without a change to store.
  private(set) var unwritten: [any PersistentModel] = []
  private(set) var exclusiveOwners = ExclusiveOwnershipTracker()

  /// The plans of all stores with changes, in the container's order.
  static func plans(for core: ContextCore) -> [SavePlan] {
    core.container.stores.compactMap { store in
      let plan = SavePlan(core, store)
      return plan.isEmpty ? nil : plan
    }
  }

  private var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && unwritten.isEmpty && changes.batches.isEmpty
      && changes.deletion == nil
  }

  private init(_ core: ContextCore, _ store: OpenStore) {
    self.store = store
    changes.author = core.editingState.author
    changes.requester = core
    changes.duplicates = core.uniquenessPolicy.duplicates
    for change in core.unit.batches.compactMap({ $0.changes[store.index] }) {
      switch change {
      case .batch(let batch): changes.batches.append(batch)
      case .deletion(let deletion): changes.deletion = deletion
      }
    }
    func isHere(_ object: any PersistentModel) -> Bool { EntityTag.store(object._$state.entity) == store.index }
    // Equal changes give equal SQL, and of two clashing objects every engine names the same one: sorted by entity and key, or in the order
    // of insertion.
    func place(_ object: any PersistentModel) -> Int {
      store.place(ofEntity: EntityTag.entity(object._$state.entity))
    }
    func rowOrder(_ left: any PersistentModel, _ right: any PersistentModel) -> Bool {
      (place(left), left._$state.key) < (place(right), right._$state.key)
    }
    inserted = core.unit.inserted.filter(isHere)
    if let first = inserted.first?._$state.entity, inserted.contains(where: { $0._$state.entity != first }) {
      inserted = Dictionary(grouping: inserted, by: place).sorted { $0.key < $1.key }.flatMap(\.value)
    }
    let changed = core.unit.changed.filter(isHere).sorted(by: rowOrder)
    let inBatches = Set(core.unit.batches.flatMap(\.objects).map { ObjectIdentifier($0) })
    deleted = core.unit.deleted.filter { isHere($0) && !inBatches.contains(ObjectIdentifier($0)) }.sorted(
      by: rowOrder)

    addInsertions(core)
    addUpdates(changed, core)
    changes.deletions = deleted.map {
      .init(object: Self.key(of: $0), version: core.conflictPolicy == .fail ? $0._$state.version : nil)
    }
    guard !core.container.tablesOfOwners.isEmpty else { return }
    let owners = (inserted + changed).filter { core.binding(of: $0)?.toMany.isEmpty == false }
    guard !owners.isEmpty else { return }
    var positions: [ObjectIdentifier: Int] = [:]
    for (index, object) in inserted.enumerated() { positions[ObjectIdentifier(object)] = index }
    for owner in owners { addLinks(of: owner, positions, core) }
  }

  private static func key(of object: any PersistentModel) -> ObjectKey {
    ObjectKey(entity: EntityTag.entity(object._$state.entity), key: object._$state.key)
  }

  private mutating func addInsertions(_ core: ContextCore) {
    changes.insertions.reserveCapacity(inserted.count)
    var shape: RowShape?
    for object in inserted {
      if shape?.binding.tag != object._$state.entity, let binding = core.binding(of: object) {
        shape = RowShape(binding, binding.stored)
      }
      guard let shape else { continue }
      changes.insertions.append(
        .init(
          entity: EntityTag.entity(object._$state.entity), columns: shape.columns, source: ObjectRow(object, shape),
          formerKey: formerKey(of: object)))
    }
  }

  /// The key that an object had in this store before undo brought it back.
  private func formerKey(of object: any PersistentModel) -> Int64? {
    guard let identifier = object._$state.extras?.formerIdentifier, let row = store.object(of: identifier),
      row.entity == EntityTag.entity(object._$state.entity)
    else { return nil }
    return row.key
  }

  private mutating func addUpdates(_ objects: [any PersistentModel], _ core: ContextCore) {
    // Successive objects mostly have changed in the same properties.
    var last: UpdateShape?
    for object in objects {
      guard let binding = core.binding(of: object) else { continue }
      let properties = Self.propertiesToWrite(of: object, binding, core.conflictPolicy)
      let shape = last.flatMap { $0.isOf(binding, properties) ? $0 : nil } ?? UpdateShape(binding, properties)
      last = shape
      guard !shape.names.isEmpty else {
        unwritten.append(object)
        continue
      }
      updated.append(object)
      changes.updates.append(
        .init(
          object: Self.key(of: object), version: expectedVersion(of: object, core.conflictPolicy),
          columns: shape.row.columns, changedProperties: shape.names, source: ObjectRow(object, shape.row)))
    }
  }

  /// The changed properties. Under `.overwrite`, after a conflict, also all others; a value that cannot be read stays as it is stored.
  private static func propertiesToWrite(
    of object: any PersistentModel, _ binding: EntityBinding, _ policy: SaveConflictPolicy
  ) -> [Int] {
    let changed = object._$state.changedProperties
    guard policy == .overwrite, object._$state.extras?.settledVersion != nil else { return changed }
    let readable = binding.stored.filter { property in
      var keeper = StorageKeeper()
      object._$visit(property, &keeper)
      return keeper.storage?._isPending == false
    }
    return Set(changed).union(readable).sorted()
  }

  /// The version that the row of a changed object must have; `nil` for any version.
  private func expectedVersion(of object: any PersistentModel, _ policy: SaveConflictPolicy) -> Int64? {
    let settled = object._$state.extras?.settledVersion
    return switch policy {
    // An update by a predicate is made again on a newer row.
    case .mergeByProperty where object._$state.extras?.updates.isEmpty == false: settled ?? object._$state.version
    // A custom store writes whole objects. One that is outdated takes over the other values before it is written.
    case .mergeByProperty:
      store.descriptorEngine != nil && settled == nil ? object._$state.version : nil
    case .fail: object._$state.version
    case .keepStored, .overwrite, .rollback: settled ?? object._$state.version
    }
  }

  /// Adds changes of to-many relationships that no property's column stores, and new orders of ordered relationships.
  private mutating func addLinks(
    of object: any PersistentModel, _ positions: [ObjectIdentifier: Int], _ core: ContextCore
  ) {
    guard let links = object._$state.extras?.links, !links.isEmpty || object._$state.changedMask != 0,
      let binding = core.binding(of: object), let owner = reference(object, positions)
    else { return }
    for property in binding.toMany {
      guard let relationship = binding.properties[property].relationship else { continue }
      var change = ChangeSet.RelationshipChange(owner: owner, relationship: binding.properties[property].name)
      if let own = links[property], relationship.storage.isListed {
        // Only the first object of a pair adds the link of a relationship that is its own inverse.
        func isMine(_ other: any PersistentModel) -> Bool {
          relationship.storage != .reflexive || rank(object, positions) <= rank(other, positions)
        }
        change.added = own.added.filter(isMine).compactMap { reference($0, positions) }
        // A new row has no links to remove.
        if object._$state.key != 0 {
          change.removed = own.removed.filter(isMine).compactMap { reference($0, positions) }
        }
      }
      if relationship.description.isOrdered, links[property] != nil || object._$state.isChanged(property) {
        change.order = order(of: object, property, positions)
      }
      if !change.added.isEmpty || !change.removed.isEmpty || change.order != nil {
        exclusiveOwners.note(change, at: property, of: binding)
        changes.relationshipChanges.append(change)
      }
    }
  }

  private func order(
    of object: any PersistentModel, _ property: Int, _ positions: [ObjectIdentifier: Int]
  ) -> [ChangeSet.Reference]? {
    var reader = LinkReader()
    object._$visit(property, &reader)
    guard case .objects(let members) = reader.content else { return nil }
    return members.compactMap { reference($0, positions) }
  }

  private func reference(
    _ object: any PersistentModel, _ positions: [ObjectIdentifier: Int]
  ) -> ChangeSet.Reference? {
    if let index = positions[ObjectIdentifier(object)] { return .inserted(index) }
    return object._$state.key == 0 ? nil : .existing(Self.key(of: object))
  }

  private func rank(_ object: any PersistentModel, _ positions: [ObjectIdentifier: Int]) -> (Int, Int64) {
    positions[ObjectIdentifier(object)].map { (1, Int64($0)) } ?? (0, object._$state.key)
  }

  /// Resets the keys that a failed save assigned.
  func revokeKeys() {
    for object in inserted { object._$state.key = 0 }
  }
}

/// The properties written for the rows of many objects.
private final class RowShape {
  let binding: EntityBinding
  /// Property indexes.
  let properties: [Int]
  let columns: [ColumnSelection]

  init(_ binding: EntityBinding, _ properties: [Int]) {
    self.binding = binding
    self.properties = properties
    columns = properties.map { ColumnSelection(entityName: binding.name, propertyName: binding.properties[$0].name) }
  }
}

/// The properties that were changed in many objects.
private struct UpdateShape {
  private let properties: [Int]
  let row: RowShape
  /// The names of the properties that a store keeps, relationships to many included.
  let names: [String]

  init(_ binding: EntityBinding, _ properties: [Int]) {
    self.properties = properties
    row = RowShape(binding, properties.filter { binding.properties[$0].hasColumns })
    names = properties.filter { binding.properties[$0].hasColumns || binding.properties[$0].relationship != nil }
      .map { binding.properties[$0].name }
  }

  func isOf(_ binding: EntityBinding, _ properties: [Int]) -> Bool {
    row.binding === binding && self.properties == properties
  }
}

/// Supplies the values of a row from an object.
private final class ObjectRow: ModelRowSource {
  private let object: any PersistentModel
  private let shape: RowShape

  init(_ object: any PersistentModel, _ shape: RowShape) {
    self.object = object
    self.shape = shape
  }

  func bind(_ wanted: [ColumnSelection], into binder: inout RowBinder) throws {
    // Nearly always the row's own column array; otherwise the columns of a uniqueness constraint.
    let properties =
      wanted == shape.columns ? shape.properties : wanted.compactMap { shape.binding.index(of: $0.propertyName) }
    var writer = _RowWriter(binder)
    var failure: (any Error)?
    var current = 0
    do {
      for property in properties {
        current = property
        try object._$write(property, into: &writer)
      }
    } catch let value as UnstorableValue {
      failure = unwritable(current, value.problem)
    } catch let error as EncodingError {
      failure = unwritable(current, "cannot be encoded: \(error.reason)")
    } catch {
      failure = error
    }
    binder = writer.row
    if let failure { throw failure }
  }

  private func unwritable(_ property: Int, _ problem: String) -> UnwritableValueError {
    UnwritableValueError(
      object: ObjectIdentifier(object), entityName: shape.binding.name,
      propertyName: shape.binding.properties[property].name,
      problem: problem)
  }

  var model: any PersistentModel { object }

  func assign(_ object: ObjectKey, wasMerged: Bool) { self.object._$state.key = object.key }
}
