internal import StoreRequests

extension ContextCore {
  /// Keeps the keys of a fetch.
  func remember(_ keys: [Int64], of binding: EntityBinding) {
    if keys.count > 1 { recentFetches.add(FetchedKeys(binding: binding, keys: keys)) }
  }

  /// An object and the objects fetched after it that are registered, have the same property and meet the condition.
  ///
  /// A fetch of a base class returns objects of sibling subclasses, which have different properties at one index.
  func companions(
    of object: any PersistentModel, _ binding: EntityBinding, with property: Int,
    where condition: (any PersistentModel) -> Bool
  ) -> [any PersistentModel] {
    let key = object._$state.key
    let declaringClass = binding.properties[property].declaringClass
    var tag = binding.tag
    /// Whether objects of an entity have the property; computed once for consecutive objects of one entity.
    func hasProperty(_ other: any PersistentModel) -> Bool {
      if other._$state.entity == tag { return true }
      guard let binding = self.binding(of: other), property < binding.properties.count,
        binding.properties[property].declaringClass == declaringClass
      else { return false }
      tag = other._$state.entity
      return true
    }
    guard let keys = recentFetches.batch(from: key, in: binding.table) else { return [object] }
    return keys.compactMap { other in
      if other == key { return object }
      guard let known = identityMap.object(binding.table, other), let model = binding.model(known),
        hasProperty(model), condition(model)
      else { return nil }
      return model
    }
  }

  /// The destination of a to-one relationship: the registered object, or a new fault; `nil` if its row is known to be missing.
  ///
  /// The first read of a missing row logs a warning.
  func object(for key: ObjectKey, of owner: any PersistentModel, at property: Int) -> (any PersistentModel)? {
    let tag = EntityTag.make(entity: key.entity, besides: owner._$state.entity)
    guard let binding = binding(tag) else { return nil }
    if owner._$state.status == .orphaned,
      let kept = deletedObjects.object(of: .init(table: binding.table, key: key.key))
    {
      return kept
    }
    if let known = identityMap.object(binding.table, key.key) {
      guard let object = binding.model(known) else { return nil }
      // A fault that was announced with others of another class waits; its row may be missing.
      if object._$state.status == .fault, object._$state.version == 0 {
        loading("loading a to-one relationship") { fill(object) }
      }
      return isKnownToBeGone(object, owner, property) ? nil : object
    }
    expandBatches(concerning: tag)
    return loading("loading a to-one relationship") {
      announceFaults(like: owner, at: property, in: binding)
      let fault = makeFault(key.key, tag, binding)
      // A foreign key may lead to a missing row (CD-3.1); only loading the row shows that.
      fill(fault)
      return isKnownToBeGone(fault, owner, property) ? nil : fault
    }
  }

  private func isKnownToBeGone(_ object: any PersistentModel, _ owner: any PersistentModel, _ property: Int) -> Bool {
    guard object._$state.status == .orphaned else { return false }
    noteMissingRow(of: object, ofDestinationOf: owner, at: property)
    return true
  }

  /// The object of a row: the registered object, or a new fault.
  func makeFault(_ key: Int64, _ tag: Int32, _ binding: EntityBinding) -> any PersistentModel {
    if let known = identityMap.object(binding.table, key), let object = binding.model(known) { return object }
    let fault = binding.makeFault(key, tag, in: self)
    identityMap.insert(fault, table: binding.table, key: key)
    openFaults.add(key, of: tag)
    return fault
  }

  /// Records the keys to which the owner's companions lead, so that they are loaded together with the owner's destination.
  private func announceFaults(like owner: any PersistentModel, at property: Int, in binding: EntityBinding) {
    guard let ownerBinding = self.binding(of: owner) else { return }
    let companions = companions(of: owner, ownerBinding, with: property) {
      [.clean, .fault].contains($0._$state.status)
    }
    guard companions.count > 1 else { return }
    for companion in companions where companion !== owner {
      var reader = LinkReader()
      companion._$visit(property, &reader)
      guard case .key(let key) = reader.content else { continue }
      let tag = EntityTag.make(entity: key.entity, besides: owner._$state.entity)
      guard let other = self.binding(tag), other.table == binding.table,
        identityMap.object(other.table, key.key) == nil
      else { continue }
      _ = makeFault(key.key, tag, other)
    }
  }

  /// Loads the values of a fault; its status becomes `clean`, or `orphaned` if its row is missing.
  ///
  /// An object that was changed or deleted unread keeps its status; the save handles its missing row.
  func fill(_ fault: any PersistentModel) {
    guard fault._$state.isUnread, let binding = binding(of: fault) else { return }
    loading("loading an object") { fill(fault, binding) }
  }

  private func fill(_ fault: any PersistentModel, _ binding: EntityBinding) {
    if isClosed { identityMap.insert(fault, table: binding.table, key: fault._$state.key) }
    let keys = takeOpenFaults(with: fault, binding)
    do {
      try load(keys, of: binding)
    } catch {
      return noteReadFailure(error, "loading an object of \(binding.name)")
    }
    container.activity.count(.faults, keys.count)
    for key in keys {
      guard let object = registered(EntityTag.make(entity: key.entity, besides: fault._$state.entity), key.key),
        object._$state.status == .fault
      else { continue }
      orphan(object)
    }
    if fault._$state.status == .fault { orphan(fault) }
    fault._$state.isUnread = false
    refreshStaleInverses()
  }

  /// The key of a fault, and keys of other faults of its entity that wait to be filled.
  private func takeOpenFaults(with fault: any PersistentModel, _ binding: EntityBinding) -> [ObjectKey] {
    let entity = EntityTag.entity(fault._$state.entity)
    var keys = [ObjectKey(entity: entity, key: fault._$state.key)]
    while keys.count < FetchedKeys.batchSize, let key = openFaults.next(of: fault._$state.entity) {
      guard key != fault._$state.key, let known = identityMap.object(binding.table, key),
        let other = binding.model(known), other._$state.status == .fault,
        other._$state.entity == fault._$state.entity
      else { continue }
      keys.append(ObjectKey(entity: entity, key: key))
    }
    if keys.count == 1, fault._$state.version != 0 { return readAhead(of: fault, binding) }
    // What a loop reads of this object, it reads of the others as well.
    remember(keys.map(\.key), of: binding)
    return keys
  }

  /// The key of a partly loaded fault, and keys of the faults fetched after it.
  ///
  /// It adds as many keys as objects were loaded right before the fault. So one object costs one row, and a loop over
  /// all objects costs few queries.
  private func readAhead(of fault: any PersistentModel, _ binding: EntityBinding) -> [ObjectKey] {
    func object(_ key: Int64) -> (any PersistentModel)? {
      identityMap.object(binding.table, key).flatMap { binding.model($0) }
    }
    let entity = EntityTag.entity(fault._$state.entity)
    var keys = [ObjectKey(entity: entity, key: fault._$state.key)]
    guard let batch = recentFetches.batch(from: fault._$state.key, in: binding.table) else { return keys }
    let loaded = recentFetches.keys(before: batch).reversed().prefix { object($0)?._$state.status == .clean }
    for key in batch.prefix(loaded.count).dropFirst() {
      guard let other = object(key), other._$state.status == .fault, other._$state.entity == fault._$state.entity
      else { continue }
      keys.append(ObjectKey(entity: entity, key: key))
    }
    return keys
  }
}
