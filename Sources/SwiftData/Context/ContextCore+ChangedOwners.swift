internal import StoreRequests

extension ContextCore {
  /// Shows what others have added to the loaded relationships of objects with unsaved changes, and removed from them.
  ///
  /// Such an object is not read again before its save. A changed relationship keeps its own changes and its order, and others'
  /// members come last. Cost: one query for each changed relationship of the objects' classes.
  func reloadMembers(ofChanged owners: [any PersistentModel]) {
    for (tag, group) in Dictionary(grouping: owners, by: { $0._$state.entity }) {
      for property in binding(tag)?.toMany ?? [] {
        let loaded = group.filter { $0._$state.status == .changed && isLoaded($0, property) }
        var emptier = StorageEmptier()
        for owner in loaded where !owner._$state.isChanged(property) {
          notifying(owner, at: property) { $0._$visit(property, &emptier) }
        }
        reloadMembers(ofChanged: loaded.filter { $0._$state.isChanged(property) }, at: property)
      }
    }
  }

  private func reloadMembers(ofChanged owners: [any PersistentModel], at property: Int) {
    let stored = owners.filter { $0._$state.key != 0 }
    guard let first = stored.first, let binding = binding(of: first),
      let relationship = binding.properties[property].relationship
    else { return }
    let former = stored.map { linked($0, property) }
    do {
      try loadMembers(of: stored, first: nil, at: property, relationship, binding)
    } catch {
      return noteReadFailure(error, "loading \(binding.name).\(binding.properties[property].name)")
    }
    for (owner, former) in zip(stored, former) {
      let now = linked(owner, property)
      let (known, present) = (Set(former.map { ObjectIdentifier($0) }), Set(now.map { ObjectIdentifier($0) }))
      var keeper = MemberLoader(members: former)
      owner._$visit(property, &keeper)
      let members =
        former.filter { present.contains(ObjectIdentifier($0)) } + now.filter { !known.contains(ObjectIdentifier($0)) }
      guard !isEqual(former, members) else { continue }
      var loader = MemberLoader(members: members)
      notifying(owner, at: property) { $0._$visit(property, &loader) }
    }
  }

  private func isLoaded(_ owner: any PersistentModel, _ property: Int) -> Bool {
    var reader = LinkReader()
    owner._$visit(property, &reader)
    if case .objects = reader.content { return true }
    return false
  }
}
