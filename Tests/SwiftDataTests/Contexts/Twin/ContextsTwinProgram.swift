import SwiftData
import TestSupport

/// A change or a request of one context. Numbers name objects.
enum ContextsTwinStep: Sendable {
  enum Kind: Int, CaseIterable, Sendable { case owner, member, tag, badge }

  case insert(Kind, Int)
  case insertMember(Int, owner: Int)
  case delete(Kind, Int)
  /// Deletes an object and inserts it again, also after a fetch that applies delete rules.
  case deleteAndInsert(Kind, Int, fetches: Bool)
  /// Inserts an object again that the next save would delete.
  case insertAgain(Kind, Int)
  case setValue(Int, Int)
  case setOwner(Int, Int?)
  case append(Int, to: Int)
  case remove(Int, from: Int)
  case setMembers([Int], of: Int)
  case rotateMembers(of: Int)
  /// Removes the first member and adds it again.
  case replaceFirst(of: Int)
  case addTag(Int, to: Int)
  case removeTag(Int, from: Int)
  case setTags([Int], of: Int)
  case setTagged([Int], by: Int)
  case setBadge(Int?, of: Int)
  case setBearer(Int?, of: Int)
  case save
  case rollback
  case undo
  case redo
  case processPendingChanges
  case fetch(Kind)
  case prefetch
  case readMembers(of: Int)
  case readTagged(by: Int)
  /// The program lets go of its objects, and the context sweeps.
  case release
  /// Fetches all and compares.
  case check
}

/// A program of several contexts over one store.
struct ContextsTwinProgram: Sendable {
  struct Line: Sendable, CustomStringConvertible {
    let context: Int
    let step: ContextsTwinStep
    var description: String { "\(context): \(step)" }
  }

  enum Mode: Int, CaseIterable, Sendable {
    /// Each context merges others' saves before each step, so that plain rules say what it must show.
    case merging
    /// A context merges others' saves when its steps do.
    case late
    /// As `late`, with undo and redo.
    case undoing
  }

  var lines: [Line]
  let contextCount: Int
  let mode: Mode
  /// What the contexts do about conflicts. The plain rules are those of ``SaveConflictPolicy/mergeByProperty``.
  let policy: SaveConflictPolicy

  init(seed: UInt64, length: Int) {
    var random = SplitMix(seed: seed)
    mode = Mode.allCases[Int(seed % 3)]
    let policies = [SaveConflictPolicy.mergeByProperty, .keepStored, .rollback]
    policy = mode == .merging ? .mergeByProperty : policies[Int(seed / 3 % UInt64(policies.count))]
    contextCount = 2 + random.below(2)
    lines = []
    var last = [3, 3, 2, 2]
    var busy = 0
    for _ in 0..<length {
      // A context makes several steps in a row.
      if random.once(in: 3) { busy = random.below(contextCount) }
      lines.append(Line(context: busy, step: Self.step(&random, &last, mode)))
    }
  }

  private static func step(_ random: inout SplitMix, _ last: inout [Int], _ mode: Mode) -> ContextsTwinStep {
    func any(_ kind: ContextsTwinStep.Kind) -> Int { 1 + random.below(last[kind.rawValue]) }
    func some(_ kind: ContextsTwinStep.Kind) -> [Int] {
      (1...last[kind.rawValue]).filter { _ in random.once(in: 3) }.shuffled(using: &random)
    }
    func maybe(_ kind: ContextsTwinStep.Kind) -> Int? { random.once(in: 3) ? nil : any(kind) }
    func kind() -> ContextsTwinStep.Kind { ContextsTwinStep.Kind.allCases[random.below(4)] }
    switch random.below(mode == .undoing ? 52 : 46) {
    case 0:
      let kind = kind()
      last[kind.rawValue] += 1
      return .insert(kind, last[kind.rawValue])
    case 1:
      last[1] += 1
      return .insertMember(last[1], owner: any(.owner))
    case 2, 3:
      let kind = kind()
      return .delete(kind, any(kind))
    case 4, 5: return .setValue(any(.member), random.below(5))
    case 6, 7, 8, 9: return .setOwner(any(.member), maybe(.owner))
    case 10, 11: return .append(any(.member), to: any(.owner))
    case 12, 13: return .remove(any(.member), from: any(.owner))
    case 14: return .setMembers(some(.member), of: any(.owner))
    case 15: return mode == .merging ? .rotateMembers(of: any(.owner)) : .replaceFirst(of: any(.owner))
    case 16, 17: return .addTag(any(.tag), to: any(.member))
    case 18, 19: return .removeTag(any(.tag), from: any(.member))
    case 20: return .setTags(some(.tag), of: any(.member))
    case 21: return .setTagged(some(.member), by: any(.tag))
    case 22, 23: return .setBadge(maybe(.badge), of: any(.member))
    case 24: return .setBearer(maybe(.member), of: any(.badge))
    case 25, 26, 27, 28, 29: return .save
    case 30: return .rollback
    case 31: return .processPendingChanges
    case 32, 33: return .fetch(kind())
    case 34: return .prefetch
    case 35, 36: return .readMembers(of: any(.owner))
    case 37: return .readTagged(by: any(.tag))
    case 38: return .release
    case 39, 40, 41: return .check
    case 42, 43:
      let kind = kind()
      return .deleteAndInsert(kind, any(kind), fetches: random.once(in: 2))
    case 44, 45:
      let kind = kind()
      let number = any(kind)
      return mode == .merging ? .deleteAndInsert(kind, number, fetches: true) : .insertAgain(kind, number)
    case 46, 47, 48: return .undo
    case 49, 50: return .redo
    default: return .processPendingChanges
    }
  }

  /// The shortest program found that still fails, by leaving lines out.
  func shrunk(_ fails: (Self) -> Bool) -> Self {
    var best = self
    var size = max(1, lines.count / 2)
    while true {
      var start = 0
      var isShorter = false
      while start < best.lines.count {
        var candidate = best
        candidate.lines.removeSubrange(start..<min(start + size, best.lines.count))
        if fails(candidate) {
          best = candidate
          isShorter = true
        } else {
          start += size
        }
      }
      if size > 1 { size /= 2 } else if !isShorter { return best }
    }
  }
}
