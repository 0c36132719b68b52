/// The numbers of an archive's objects: each gets its own when the archiver first comes to it.
///
/// The archiver archives an object with all that it holds, depth first, and its class behind that. A conditional reference
/// only numbers what it names; that is archived where somebody holds it.
struct ArchiveNumbering {
  enum Item {
    case entry(Int)
    case classDescription(ArchivedClass)
  }

  private enum Step {
    case refer(Int)
    case archive(Int)
    case describe(ArchivedClass)
  }

  /// What the archive's numbers stand for.
  private(set) var items: [Item] = []
  private var numbers: [Int?]
  private var classes: [ArchivedClass: Int] = [:]

  /// Objects that nothing holds or names are left out. Nesting costs memory, not stack.
  init(_ entries: [ArchiveBuilder.Entry], root: ArchiveBuilder.Reference) {
    numbers = Array(repeating: nil, count: entries.count)
    var isArchived = Array(repeating: false, count: entries.count)
    refer(to: ArchiveBuilder.Reference.null.uid)
    var stack: [ArraySlice<Step>] = [[.archive(root.uid)]]
    while let step = stack[stack.count - 1].popFirst() ?? nil {
      switch step {
      case .refer(let entry): refer(to: entry)
      case .describe(let archivedClass):
        if classes[archivedClass] == nil {
          classes[archivedClass] = items.count
          items.append(.classDescription(archivedClass))
        }
      case .archive(let entry):
        refer(to: entry)
        if isArchived[entry] { break }
        isArchived[entry] = true
        if case .object(let archivedClass, let fields) = entries[entry] {
          stack.append(steps(archivedClass, fields))
        }
      }
      while stack.count > 1, stack[stack.count - 1].isEmpty { stack.removeLast() }
    }
  }

  func number(of reference: ArchiveBuilder.Reference) -> Int { numbers[reference.uid] ?? 0 }

  func number(of archivedClass: ArchivedClass) -> Int { classes[archivedClass] ?? 0 }

  private mutating func refer(to entry: Int) {
    if numbers[entry] != nil { return }
    numbers[entry] = items.count
    items.append(.entry(entry))
  }

  private func steps(
    _ archivedClass: ArchivedClass, _ fields: [(key: String, value: ArchiveBuilder.Field)]
  ) -> ArraySlice<Step> {
    var steps: [Step] = []
    for (key, value) in fields {
      switch value {
      case .reference(let reference):
        let isConditional = ArchivedClass.conditionalKeys.contains(key)
        steps.append(isConditional ? .refer(reference.uid) : .archive(reference.uid))
      case .references(let references): steps += references.map { .archive($0.uid) }
      case .plain: break
      }
    }
    return ArraySlice(steps + [.describe(archivedClass)])
  }
}
