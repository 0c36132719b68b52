import Foundation
import StoreRequests

@testable import SwiftData

// What the contexts of a program show, and what they must.
extension ContextsTwinRun {
  func fetchAll(_ place: Int) throws {
    let context = contexts[place]
    for object in try context.fetch(FetchDescriptor<Models.Owner>()) { objects[place][Self.name(of: object)] = object }
    for object in try context.fetch(FetchDescriptor<Models.Member>()) { objects[place][Self.name(of: object)] = object }
    for object in try context.fetch(FetchDescriptor<Models.Tag>()) { objects[place][Self.name(of: object)] = object }
    for object in try context.fetch(FetchDescriptor<Models.Badge>()) { objects[place][Self.name(of: object)] = object }
  }

  func expectEqual(_ left: [String], _ right: [String], _ words: String) throws {
    guard left != right else { return }
    let only = left.filter { !right.contains($0) }
    let others = right.filter { !left.contains($0) }
    throw Difference(description: "\(words): \(only.joined(separator: "; ")) | \(others.joined(separator: "; "))")
  }

  /// What a context shows; throws if the two sides of a relationship differ.
  func lines(of context: ModelContext) throws -> [String] {
    let owners = try context.fetch(FetchDescriptor<Models.Owner>())
    let members = try context.fetch(FetchDescriptor<Models.Member>())
    let tags = try context.fetch(FetchDescriptor<Models.Tag>())
    let badges = try context.fetch(FetchDescriptor<Models.Badge>())
    var lines: [String] = []
    func numbers<Model: PersistentModel>(_ models: [Model]) -> [Int] {
      models.map { Self.name(of: $0).number }.sorted()
    }
    for owner in owners {
      let list = numbers(owner.members)
      let led = numbers(members.filter { $0.owner === owner })
      if list != led { throw Difference(description: "members of \(owner.number): \(list), to-one: \(led)") }
      lines.append("owner \(owner.number): \(list)")
    }
    for tag in tags {
      let list = numbers(tag.members)
      let led = numbers(members.filter { $0.tags.contains(tag) })
      if list != led { throw Difference(description: "members of tag \(tag.number): \(list), their tags: \(led)") }
      lines.append("tag \(tag.number): \(list)")
    }
    for badge in badges {
      let led = numbers(members.filter { $0.badge === badge })
      let bearer = badge.member.map { [$0.number] } ?? []
      if bearer != led { throw Difference(description: "member of badge \(badge.number): \(bearer), badges: \(led)") }
      lines.append("badge \(badge.number): \(bearer)")
    }
    for member in members {
      let owner = member.owner.map { "\($0.number)" } ?? "-"
      if let owner = member.owner, !owners.contains(owner) {
        throw Difference(description: "owner of \(member.number) is \(owner.number), which a fetch lacks")
      }
      if !Set(member.tags).isSubset(of: tags) {
        throw Difference(description: "tags of \(member.number) are \(numbers(member.tags)), which a fetch lacks")
      }
      if let badge = member.badge, badge.member !== member {
        throw Difference(description: "badge of \(member.number) is \(badge.number), whose member is another")
      }
      lines.append("member \(member.number) \(member.value): owner \(owner) tags \(numbers(member.tags))")
    }
    return lines.sorted()
  }

  func check(_ place: Int) throws {
    let context = contexts[place]
    let shown = try lines(of: context)
    for owner in try context.fetch(FetchDescriptor<Models.Owner>()) {
      let number = owner.number
      let found = try context.fetch(
        FetchDescriptor<Models.Member>(
          predicate: #Predicate { $0.owner?.number == number }, sortBy: [SortDescriptor(\.number)]))
      try expectEqual(
        found.map { "\($0.number)" }, owner.members.map(\.number).sorted().map { "\($0)" },
        "members of \(number) by predicate, and in the list")
    }
    if program.mode == .merging {
      try expectEqual(
        shown.filter { !$0.hasPrefix("badge") }, rules.view(place).lines, "context \(place), and the rules")
    }
    if !context.hasChanges {
      try expectEqual(shown, lines(of: ModelContext(container)), "context \(place) without changes, and a fresh one")
    }
    try compareLoaded(place)
  }

  /// Compares the loaded lists of a context with the members' own side, without loading anything.
  func compareLoaded(_ place: Int) throws {
    let core = contexts[place].core
    guard core.inbox.isEmpty else { return }
    var lists: [ObjectIdentifier: (owner: Models.Owner, members: [any PersistentModel])] = [:]
    var members: [Models.Member] = []
    func look(_ object: any PersistentModel) {
      if let owner = object as? Models.Owner, [.clean, .changed, .inserted, .fault].contains(owner._$state.status),
        let property = core.binding(of: owner)?.index(of: "members")
      {
        var reader = LinkReader()
        owner._$visit(property, &reader)
        if case .objects(let list) = reader.content { lists[ObjectIdentifier(owner)] = (owner, list) }
      }
      if let member = object as? Models.Member { members.append(member) }
    }
    core.identityMap.forEach(look)
    core.unit.inserted.forEach(look)
    for member in members where [.clean, .changed, .inserted].contains(member._$state.status) {
      guard !member._$state.isUnread, let property = core.binding(of: member)?.index(of: "owner") else { continue }
      var reader = LinkReader()
      member._$visit(property, &reader)
      let owner: ObjectIdentifier?
      switch reader.content {
      case .unknown: continue
      case .key(let key):
        let tag = EntityTag.make(entity: key.entity, besides: member._$state.entity)
        owner = core.registered(tag, key.key).map { ObjectIdentifier($0) }
      case .objects(let owners): owner = owners.first.map { ObjectIdentifier($0) }
      }
      for (other, list) in lists where list.members.contains(where: { $0 === member }) != (other == owner) {
        let numbers = list.members.map { Self.name(of: $0).number }
        throw Difference(
          description: "loaded members of \(list.owner.number): \(numbers), but \(member.number) "
            + (other == owner ? "leads there" : "leads elsewhere"))
      }
    }
  }
}
