import TestSupport
import Testing

@testable import SwiftData

@Suite("What undo keeps of the members of a relationship")
struct MemberReplacementTests {
  private let tags = (0..<100).map { Tag("\($0)") }

  private func replacement(of old: [Tag], by new: [Tag]) -> MemberReplacement? {
    MemberDifference(from: old, to: new, keepsPlaces: true).replacement
  }

  /// Adds a change with its links.
  private func add(_ old: [Tag], _ new: [Tag], to changes: inout MemberChanges) {
    let difference = MemberDifference(from: old, to: new, keepsPlaces: true)
    func add(_ objects: [any PersistentModel], _ kind: MemberChange.Kind) {
      for object in objects {
        changes.add(LinkStep(owner: tags[0], property: 0, member: object, kind: kind, before: nil, after: nil))
      }
    }
    add(difference.removed, .remove)
    add(difference.added, .add)
    difference.replacement.map { changes.add($0) }
  }

  /// The list before an action.
  private func list(before changes: MemberChanges, in present: [Tag]) -> [Tag] {
    let replacements = changes.replacementsToReverse(
      isPresent: { object in present.contains { $0 === object } }, returned: { [] })
    return list(before: replacements, in: present)
  }

  /// The list before some replacements, the last of which led to a present list.
  private func list(before replacements: [MemberReplacement], in present: [Tag]) -> [Tag] {
    var list = present
    for replacement in replacements.reversed() {
      let reversal = replacement.reversal(
        in: list, isMember: { member in list.contains { ObjectIdentifier($0) == member } }, where: { _ in true })
      #expect(reversal.isFormer(in: list))
      list.replaceSubrange(
        reversal.start..<reversal.start + reversal.former.count, with: reversal.current.compactMap { $0 as? Tag })
    }
    return list
  }

  private func words(_ members: [Tag]) -> [String] { members.map(\.word) }

  @Test func `An appended member leaves nothing of a long list`() throws {
    let change = try #require(replacement(of: Array(tags.dropLast()), by: tags))
    #expect(change.former.isEmpty && change.current.count == 1 && change.start == 99)
  }

  @Test func `Members appended one by one become one replacement, and a removed one leaves it`() throws {
    var changes = MemberChanges()
    for count in 1...100 {
      changes.add(try #require(replacement(of: Array(tags.prefix(count - 1)), by: Array(tags.prefix(count)))))
    }
    changes.add(try #require(replacement(of: tags, by: Array(tags.dropLast()))))
    #expect(changes.replacements.count == 1 && changes.replacements[0].current.count == 99)
    changes.add(try #require(replacement(of: Array(tags.dropLast()), by: [])))
    #expect(changes.replacements.isEmpty)
  }

  @Test func `The list before random changes comes back, whether they were joined or not`() {
    var random = SplitMix(seed: 4)
    for _ in 0..<500 {
      let old = Array(tags.prefix(20).shuffled(using: &random).prefix(random.below(12)))
      var new = old
      var all: [MemberReplacement] = []
      var changes = MemberChanges()
      for _ in 0..<random.below(6) {
        let before = new
        switch random.below(4) {
        case 0:
          let tag = tags[random.below(20)]
          if !new.contains(tag) { new.insert(tag, at: random.below(new.count + 1)) }
        case 1: if !new.isEmpty { new.remove(at: random.below(new.count)) }
        case 2: new.append(contentsOf: tags.prefix(20).filter { !before.contains($0) }.prefix(1))
        default: if !new.isEmpty { new.swapAt(random.below(new.count), 0) }
        }
        guard let change = replacement(of: before, by: new) else { continue }
        all.append(change)
        add(before, new, to: &changes)
      }
      #expect(words(list(before: all, in: new)) == words(old))
      #expect(words(list(before: changes, in: new)) == words(old))
      // Others add members and take one.
      var now = new
      for tag in tags.suffix(2) { now.insert(tag, at: random.below(now.count + 1)) }
      let kept = old.filter(new.contains)
      let taken = kept.isEmpty ? nil : kept[random.below(kept.count)]
      now.removeAll { $0 === taken }
      let restored = words(list(before: changes, in: now))
      #expect(Set(restored) == Set(words(old.filter { $0 !== taken } + tags.suffix(2))))
      #expect(Set(restored).count == restored.count)
    }
  }

  @Test func `Members come back at their place beside members that others have put before them`() throws {
    let after = [tags[0], tags[1], tags[3]]
    let change = try #require(replacement(of: Array(tags[0..<4]), by: after))
    #expect(words(list(before: [change], in: [tags[9]] + after)) == ["9", "0", "1", "2", "3"])
  }
}
