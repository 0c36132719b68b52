import Foundation
import TestSupport

@testable import SwiftData

/// Runs a program of several contexts, and compares what they show.
final class ContextsTwinRun {
  typealias Models = ContextsTwinModels
  typealias Kind = ContextsTwinStep.Kind

  struct Difference: Error, CustomStringConvertible {
    let description: String
  }

  struct Name: Hashable {
    let kind: Kind
    let number: Int
  }

  let store: TemporaryStore
  let container: ModelContainer
  let program: ContextsTwinProgram
  let contexts: [ModelContext]
  private let managers: [UndoManager]
  var objects: [[Name: any PersistentModel]]
  private var identifiers: [Name: PersistentIdentifier] = [:]
  var rules: ContextsTwinRules

  init(_ program: ContextsTwinProgram) throws {
    self.program = program
    store = try TemporaryStore()
    container = try TestEngine.current.container(Schema(Models.types), store)
    let first = ModelContext(container)
    let owners = (1...3).map { Models.Owner($0) }
    let members = (1...3).map { Models.Member($0) }
    let tags = (1...2).map { Models.Tag($0) }
    let badges = (1...2).map { Models.Badge($0) }
    let all: [any PersistentModel] = owners + members + tags + badges
    for object in all { first.insert(object) }
    members[0].owner = owners[0]
    members[1].owner = owners[0]
    members[0].tags = [tags[0]]
    members[0].badge = badges[0]
    try first.save()
    var state = ContextsTwinRules.State(owners: [1, 2, 3], members: [1, 2, 3], tags: [1, 2])
    state.ownerByMember = [1: 1, 2: 1]
    state.pairs = [.init(member: 1, tag: 1)]
    rules = ContextsTwinRules(contextCount: program.contextCount, stored: state)
    contexts = (0..<program.contextCount).map { [container] _ in ModelContext(container) }
    for context in contexts { context.conflictPolicy = program.policy }
    managers = contexts.map { _ in UndoManager() }
    objects = contexts.map { _ in [:] }
    if program.mode == .undoing { for (context, manager) in zip(contexts, managers) { context.undoManager = manager } }
    for object in all { identifiers[Self.name(of: object)] = object.persistentModelID }
  }

  static func name(of object: any PersistentModel) -> Name {
    switch object {
    case let owner as Models.Owner: Name(kind: .owner, number: owner.number)
    case let member as Models.Member: Name(kind: .member, number: member.number)
    case let tag as Models.Tag: Name(kind: .tag, number: tag.number)
    case let badge as Models.Badge: Name(kind: .badge, number: badge.number)
    default: Name(kind: .owner, number: -1)
    }
  }

  /// Runs all steps. Throws the first difference.
  func run() throws {
    for (index, line) in program.lines.enumerated() {
      do {
        if program.mode == .merging { try fetchAll(line.context) }
        rules.take(line)
        try take(line.step, line.context)
        for context in contexts.indices { try compareLoaded(context) }
      } catch {
        throw Difference(description: "line \(index) (\(line)): \(error)")
      }
    }
    let checks = contexts.indices.map { ContextsTwinProgram.Line(context: $0, step: .check) }
    let saves = contexts.indices.map { ContextsTwinProgram.Line(context: $0, step: .save) }
    for line in checks + saves + checks {
      do {
        rules.take(line)
        try take(line.step, line.context)
      } catch {
        throw Difference(description: "at the end (\(line)): \(error)")
      }
    }
  }

  // MARK: Steps

  /// An object of a context that is neither deleted nor lost.
  private func object<Model: PersistentModel>(
    _ type: Model.Type, _ kind: Kind, _ number: Int, _ context: Int
  ) -> Model? {
    let name = Name(kind: kind, number: number)
    let known = objects[context][name] ?? identifiers[name].map { contexts[context].model(for: $0) }
    guard let object = known as? Model, object.modelContext === contexts[context], !object.isDeleted else { return nil }
    objects[context][name] = object
    // A fault whose row is gone is no object.
    if object._$state.isUnread { contexts[context].core.fill(object) }
    return object._$state._isAttached && object._$state.status != .deleted ? object : nil
  }

  private func any(_ kind: Kind, _ number: Int, _ context: Int) -> (any PersistentModel)? {
    switch kind {
    case .owner: object(Models.Owner.self, kind, number, context)
    case .member: object(Models.Member.self, kind, number, context)
    case .tag: object(Models.Tag.self, kind, number, context)
    case .badge: object(Models.Badge.self, kind, number, context)
    }
  }

  private func take(_ step: ContextsTwinStep, _ place: Int) throws {
    let context = contexts[place]
    func owner(_ number: Int) -> Models.Owner? { object(Models.Owner.self, .owner, number, place) }
    func member(_ number: Int) -> Models.Member? { object(Models.Member.self, .member, number, place) }
    func tag(_ number: Int) -> Models.Tag? { object(Models.Tag.self, .tag, number, place) }
    func badge(_ number: Int) -> Models.Badge? { object(Models.Badge.self, .badge, number, place) }
    func insert(_ new: any PersistentModel) {
      objects[place][Self.name(of: new)] = new
      context.insert(new)
    }
    switch step {
    case .insert(.owner, let number): insert(Models.Owner(number))
    case .insert(.member, let number): insert(Models.Member(number))
    case .insert(.tag, let number): insert(Models.Tag(number))
    case .insert(.badge, let number): insert(Models.Badge(number))
    case .insertMember(let number, let ownerNumber):
      let new = Models.Member(number)
      new.owner = owner(ownerNumber)
      insert(new)
    case .delete(.owner, let number): if let object = owner(number) { context.delete(object) }
    case .delete(.member, let number): if let object = member(number) { context.delete(object) }
    case .delete(.tag, let number): if let object = tag(number) { context.delete(object) }
    case .delete(.badge, let number): if let object = badge(number) { context.delete(object) }
    case .deleteAndInsert(let kind, let number, let fetches):
      guard let object = any(kind, number, place) else { break }
      context.core.delete(object)
      if fetches { _ = try context.fetchCount(FetchDescriptor<Models.Tag>()) }
      context.core.insert(object)
    case .insertAgain(let kind, let number):
      guard let object = objects[place][Name(kind: kind, number: number)], object._$state.status == .deleted else {
        break
      }
      context.core.insert(object)
    case .setValue(let number, let value): member(number)?.value = value
    case .setOwner(let number, let ownerNumber):
      guard let ownerNumber else {
        member(number)?.owner = nil
        break
      }
      if let owner = owner(ownerNumber) { member(number)?.owner = owner }
    case .append(let number, let ownerNumber):
      if let owner = owner(ownerNumber), let member = member(number), !owner.members.contains(member) {
        owner.members.append(member)
      }
    case .remove(let number, let ownerNumber):
      if let owner = owner(ownerNumber), let member = member(number) { owner.members.removeAll { $0 === member } }
    case .setMembers(let numbers, let ownerNumber): owner(ownerNumber)?.members = numbers.compactMap { member($0) }
    case .rotateMembers(let ownerNumber):
      guard let owner = owner(ownerNumber), owner.members.count > 1 else { break }
      var members = owner.members
      members.append(members.removeFirst())
      owner.members = members
    case .replaceFirst(let ownerNumber):
      if let owner = owner(ownerNumber), owner.members.count > 1 { owner.members.append(owner.members.removeFirst()) }
    case .addTag(let tagNumber, let number):
      if let tag = tag(tagNumber), let member = member(number), !member.tags.contains(tag) { member.tags.append(tag) }
    case .removeTag(let tagNumber, let number):
      if let tag = tag(tagNumber), let member = member(number) { member.tags.removeAll { $0 === tag } }
    case .setTags(let numbers, let number): member(number)?.tags = numbers.compactMap { tag($0) }
    case .setTagged(let numbers, let tagNumber): tag(tagNumber)?.members = numbers.compactMap { member($0) }
    // Only an engine can make both keys of a pair agree, and the one in memory does not.
    case .setBadge, .setBearer: if TestEngine.current != .dictionaries { setPartner(step, member, badge) }
    case .save: try save(place)
    case .rollback: context.rollback()
    case .undo:
      context.processPendingChanges()
      if managers[place].canUndo { managers[place].undo() }
    case .redo:
      context.processPendingChanges()
      if managers[place].canRedo { managers[place].redo() }
    case .processPendingChanges: context.processPendingChanges()
    case .fetch(.owner): _ = try context.fetch(FetchDescriptor<Models.Owner>())
    case .fetch(.member): _ = try context.fetch(FetchDescriptor<Models.Member>())
    case .fetch(.tag): _ = try context.fetch(FetchDescriptor<Models.Tag>())
    case .fetch(.badge): _ = try context.fetch(FetchDescriptor<Models.Badge>())
    case .prefetch:
      var owners = FetchDescriptor<Models.Owner>()
      owners.relationshipKeyPathsForPrefetching = [\.members]
      _ = try context.fetch(owners)
      var members = FetchDescriptor<Models.Member>()
      members.relationshipKeyPathsForPrefetching = [\.owner, \.tags, \.badge]
      _ = try context.fetch(members)
    case .readMembers(let number): _ = owner(number)?.members.count
    case .readTagged(let number): _ = tag(number)?.members.count
    case .release:
      objects[place] = [:]
      context.core.sweep()
    case .check: try check(place)
    }
  }

  private func setPartner(
    _ step: ContextsTwinStep, _ member: (Int) -> Models.Member?, _ badge: (Int) -> Models.Badge?
  ) {
    switch step {
    case .setBadge(let badgeNumber, let number): member(number)?.badge = badgeNumber.flatMap(badge)
    case .setBearer(let number, let badgeNumber): badge(badgeNumber)?.member = number.flatMap(member)
    default: break
    }
  }

  private func save(_ place: Int) throws {
    let context = contexts[place]
    let inserted = context.insertedModelsArray
    try context.save()
    for object in inserted where object.persistentModelID.storeIdentifier != nil {
      identifiers[Self.name(of: object)] = object.persistentModelID
    }
    let fresh = ModelContext(container)
    try expectEqual(lines(of: context), lines(of: fresh), "after a save, the context and a fresh one")
    // Such a key reads as nil.
    let unread = ModelContext(container)
    for member in try unread.fetch(FetchDescriptor<Models.Member>())
    where ["owner", "badge"].contains(where: { unread.hasKeyWithoutRow(member, $0) }) {
      throw Difference(description: "after a save, member \(member.number) has a key without a row")
    }
  }
}
