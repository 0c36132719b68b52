import TestSupport
import Testing

@testable import SwiftData

@Suite("What undo keeps of the members of a relationship")
struct MembersBeforeTests {
  private let tags = (0..<100).map { Tag("\($0)") }

  /// The steps that lead from one list to another.
  private func steps(from old: [Tag], to new: [Tag]) -> LinkSteps {
    var steps = LinkSteps()
    func add(_ tag: Tag, _ mark: LinkChanges.Mark) {
      steps.add(LinkStep(owner: tags[0], property: 0, member: tag, before: nil, after: mark))
    }
    for tag in old where !new.contains(tag) { add(tag, .removed) }
    for tag in new where !old.contains(tag) { add(tag, .added) }
    return steps
  }

  private func words(_ members: [any PersistentModel]) -> [String] { members.compactMap { ($0 as? Tag)?.word } }

  @Test func `An appended member leaves nothing of a long list`() {
    var before = MembersBefore(Array(tags.dropLast()))
    before.reduce(to: tags)
    #expect(before.members.isEmpty)
  }

  @Test func `The list before random changes comes back, whether it was reduced or not`() {
    var random = SplitMix(seed: 4)
    for _ in 0..<500 {
      let old = Array(tags.prefix(20).shuffled(using: &random).prefix(random.below(12)))
      var new = old
      for _ in 0..<random.below(4) {
        switch random.below(3) {
        case 0:
          let tag = tags[random.below(20)]
          if !new.contains(tag) { new.insert(tag, at: random.below(new.count + 1)) }
        case 1: if !new.isEmpty { new.remove(at: random.below(new.count)) }
        default: if !new.isEmpty { new.swapAt(random.below(new.count), 0) }
        }
      }
      let steps = steps(from: old, to: new)
      let whole = MembersBefore(old)
      var reduced = whole
      reduced.reduce(to: new)
      #expect(words(whole.restored(in: new, steps, returned: [])) == words(old))
      #expect(words(reduced.restored(in: new, steps, returned: [])) == words(old))
      // Others add members and take one.
      var now = new
      for tag in tags.suffix(2) { now.insert(tag, at: random.below(now.count + 1)) }
      let kept = old.filter(new.contains)
      let taken = kept.isEmpty ? nil : kept[random.below(kept.count)]
      now.removeAll { $0 === taken }
      let restored = words(reduced.restored(in: now, steps, returned: []))
      #expect(Set(restored) == Set(words(old.filter { $0 !== taken } + tags.suffix(2))))
      #expect(Set(restored).count == restored.count)
    }
  }

  @Test func `Members come back at their place beside members that others have put before them`() {
    var before = MembersBefore(Array(tags[0..<4]))
    let after = [tags[0], tags[1], tags[3]]
    before.reduce(to: after)
    let restored = before.restored(
      in: [tags[9]] + after, steps(from: Array(tags[0..<4]), to: after), returned: [])
    #expect(words(restored) == ["9", "0", "1", "2", "3"])
  }
}
