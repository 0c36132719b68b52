/// What the contexts of a program must show, by the rules of Documentation/Context.md: a context adopts what others saved
/// of what it did not change, its own unsaved changes win, and a deletion wins over changes.
struct ContextsTwinRules {
  struct Pair: Hashable {
    let member: Int
    let tag: Int
  }

  struct State {
    var owners: Set<Int> = []
    var members: Set<Int> = []
    var tags: Set<Int> = []
    var values: [Int: Int] = [:]
    var ownerByMember: [Int: Int] = [:]
    var pairs: Set<Pair> = []

    /// Drops the links to objects that are absent.
    mutating func forgetLost() {
      ownerByMember = ownerByMember.filter { members.contains($0.key) && owners.contains($0.value) }
      pairs = pairs.filter { members.contains($0.member) && tags.contains($0.tag) }
      values = values.filter { members.contains($0.key) }
    }

    var lines: [String] {
      var lines = owners.map { owner in
        "owner \(owner): \(members.filter { ownerByMember[$0] == owner }.sorted())"
      }
      lines += members.map { member in
        let tags = pairs.filter { $0.member == member }.map(\.tag).sorted()
        let owner = ownerByMember[member].map(String.init) ?? "-"
        return "member \(member) \(values[member] ?? 0): owner \(owner) tags \(tags)"
      }
      lines += tags.map { tag in "tag \(tag): \(pairs.filter { $0.tag == tag }.map(\.member).sorted())" }
      return lines.sorted()
    }
  }

  /// The unsaved changes of a context.
  struct Changes {
    var inserted = State()
    var deleted = State()
    var values: [Int: Int] = [:]
    var owners: [Int: Int?] = [:]
    var added: Set<Pair> = []
    var removed: Set<Pair> = []
  }

  private(set) var stored: State
  private var changes: [Changes]

  init(contextCount: Int, stored: State) {
    self.stored = stored
    changes = Array(repeating: Changes(), count: contextCount)
  }

  /// What a context shows after it has merged others' saves.
  mutating func view(_ context: Int) -> State {
    merge(context)
    let own = changes[context]
    var view = stored
    view.owners.formUnion(own.inserted.owners)
    view.members.formUnion(own.inserted.members)
    view.tags.formUnion(own.inserted.tags)
    view.owners.subtract(own.deleted.owners)
    view.members.subtract(own.deleted.members)
    view.tags.subtract(own.deleted.tags)
    view.values.merge(own.values) { $1 }
    for (member, owner) in own.owners { view.ownerByMember[member] = owner }
    view.pairs = view.pairs.subtracting(own.removed).union(own.added)
    view.forgetLost()
    return view
  }

  /// Forgets changes of objects that others have deleted.
  private mutating func merge(_ context: Int) {
    let stored = stored
    func update(_ own: inout Changes) {
      let members = stored.members.union(own.inserted.members)
      let owners = stored.owners.union(own.inserted.owners)
      let tags = stored.tags.union(own.inserted.tags)
      own.owners = own.owners.filter { members.contains($0.key) }
      own.values = own.values.filter { members.contains($0.key) }
      for (member, owner) in own.owners {
        if let owner, !owners.contains(owner) || own.deleted.owners.contains(owner) {
          own.owners[member] = .some(nil)
        }
      }
      // Members of a deleted owner lose it.
      for (member, owner) in stored.ownerByMember where own.owners[member] == nil {
        if own.deleted.owners.contains(owner) { own.owners[member] = .some(nil) }
      }
      own.added = own.added.filter { members.contains($0.member) && tags.contains($0.tag) }
      own.removed = own.removed.filter { members.contains($0.member) && tags.contains($0.tag) }
      own.deleted.owners.formIntersection(stored.owners)
      own.deleted.members.formIntersection(stored.members)
      own.deleted.tags.formIntersection(stored.tags)
    }
    update(&changes[context])
  }

  /// Takes a step of a context. Delete rules are followed by ``view(_:)``, after the merge.
  mutating func take(_ line: ContextsTwinProgram.Line) {
    let context = line.context
    let view = view(context)
    func has(owner: Int) -> Bool { view.owners.contains(owner) }
    func has(member: Int) -> Bool { view.members.contains(member) }
    func has(tag: Int) -> Bool { view.tags.contains(tag) }
    func setOwner(_ member: Int, _ owner: Int?) { changes[context].owners[member] = .some(owner) }
    func link(_ member: Int, _ tag: Int) {
      guard !view.pairs.contains(Pair(member: member, tag: tag)) else { return }
      changes[context].removed.remove(Pair(member: member, tag: tag))
      changes[context].added.insert(Pair(member: member, tag: tag))
    }
    func unlink(_ member: Int, _ tag: Int) {
      guard view.pairs.contains(Pair(member: member, tag: tag)) else { return }
      changes[context].added.remove(Pair(member: member, tag: tag))
      changes[context].removed.insert(Pair(member: member, tag: tag))
    }
    switch line.step {
    case .insert(.owner, let number): changes[context].inserted.owners.insert(number)
    case .insert(.member, let number): changes[context].inserted.members.insert(number)
    case .insert(.tag, let number): changes[context].inserted.tags.insert(number)
    case .insertMember(let number, let owner):
      changes[context].inserted.members.insert(number)
      if has(owner: owner) { setOwner(number, owner) }
    case .delete(.owner, let number) where has(owner: number):
      if changes[context].inserted.owners.remove(number) == nil { changes[context].deleted.owners.insert(number) }
    case .delete(.member, let number) where has(member: number):
      if changes[context].inserted.members.remove(number) == nil { changes[context].deleted.members.insert(number) }
    case .delete(.tag, let number) where has(tag: number):
      if changes[context].inserted.tags.remove(number) == nil { changes[context].deleted.tags.insert(number) }
    case .setValue(let member, let value) where has(member: member): changes[context].values[member] = value
    case .setOwner(let member, let owner) where has(member: member):
      guard owner.map(has(owner:)) ?? true else { return }
      setOwner(member, owner)
    case .append(let member, let owner) where has(member: member) && has(owner: owner):
      if view.ownerByMember[member] != owner { setOwner(member, owner) }
    case .remove(let member, let owner) where has(member: member) && has(owner: owner):
      if view.ownerByMember[member] == owner { setOwner(member, nil) }
    case .setMembers(let members, let owner) where has(owner: owner):
      for (member, former) in view.ownerByMember where former == owner && !members.contains(member) {
        setOwner(member, nil)
      }
      for member in members where has(member: member) && view.ownerByMember[member] != owner {
        setOwner(member, owner)
      }
    case .addTag(let tag, let member) where has(tag: tag) && has(member: member): link(member, tag)
    case .removeTag(let tag, let member) where has(tag: tag) && has(member: member): unlink(member, tag)
    case .setTags(let tags, let member) where has(member: member):
      for tag in view.tags { tags.contains(tag) ? link(member, tag) : unlink(member, tag) }
    case .setTagged(let members, let tag) where has(tag: tag):
      for member in view.members { members.contains(member) ? link(member, tag) : unlink(member, tag) }
    case .save:
      stored = view
      changes[context] = Changes()
    case .rollback: changes[context] = Changes()
    default: break
    }
  }
}
