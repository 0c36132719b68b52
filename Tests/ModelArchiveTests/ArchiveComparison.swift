import Foundation

@testable import ModelArchive
@testable import PropertyLists

/// Walks two archives side by side and lists where their objects differ: classes, keys, values, and what is shared.
///
/// Entities, properties and user info are matched by name, lists by position, sets by their members' names. Numbers of
/// objects, and the order of keys, are an archiver's own affair and are not compared.
struct ArchiveComparison {
  /// One kind of difference.
  struct Difference: Hashable, CustomStringConvertible {
    /// `Class.key`.
    let place: String
    let real: String
    let ours: String

    var description: String { "\(place): \(real) → \(ours)" }
  }

  private(set) var differences: Set<Difference> = []
  private(set) var objectCount = 0
  private let real: KeyedArchive
  private let ours: KeyedArchive
  private var seen: Set<[Int]> = []
  private var realToOurs: [Int: Int] = [:]
  private var oursToReal: [Int: Int] = [:]

  init(_ real: Data, _ ours: Data) throws {
    self.real = try KeyedArchive(BinaryPropertyList(real))
    self.ours = try KeyedArchive(BinaryPropertyList(ours))
    try compare(self.real.rootObject(), self.ours.rootObject(), "root")
  }

  private mutating func note(_ place: String, _ one: String, _ other: String) {
    differences.insert(Difference(place: place, real: one, ours: other))
  }

  // MARK: Objects

  private mutating func compare(_ left: ArchivedObject?, _ right: ArchivedObject?, _ place: String) {
    guard let left, let right else {
      if left != nil || right != nil { note(place, left?.kind ?? "nothing", right?.kind ?? "nothing") }
      return
    }
    guard seen.insert([left.position, right.position]).inserted else { return }
    objectCount += 1
    compareSharing(left, right, place)
    if left.classChain != right.classChain { note(place, left.kind, right.kind) }
    if left.isCollection, right.isCollection {
      compareCollections(left, right, place)
    } else if case .dictionary = left.content, case .dictionary = right.content {
      if left.classChain == right.classChain { compareFields(left, right) }
    } else {
      compareScalars(left, right, place)
    }
  }

  /// Strings and numbers stand once in either archive; what an archiver shares among objects is for the reader to see.
  private mutating func compareSharing(_ left: ArchivedObject, _ right: ArchivedObject, _ place: String) {
    guard case .dictionary = left.content, case .dictionary = right.content else { return }
    if let known = realToOurs[left.position], known != right.position {
      note(place, "shared \(left.kind)", "apart")
    } else if let known = oursToReal[right.position], known != left.position {
      note(place, "apart", "shared \(right.kind)")
    }
    realToOurs[left.position] = right.position
    oursToReal[right.position] = left.position
  }

  private mutating func compareScalars(_ left: ArchivedObject, _ right: ArchivedObject, _ place: String) {
    if left.kind != right.kind {
      if left.classChain == right.classChain { note(place, left.kind, right.kind) }
    } else if left.content != right.content, left.text != right.text || left.text == nil {
      note(place, left.valueText, right.valueText)
    }
  }

  private mutating func compareFields(_ left: ArchivedObject, _ right: ArchivedObject) {
    let name = left.classChain.first ?? "?"
    let (one, other) = (left.fields, right.fields)
    for key in Set(one.keys).union(other.keys).subtracting(["$class"]) {
      let place = "\(name).\(key)"
      switch (one[key], other[key]) {
      case (let first?, let second?):
        let (inline, inlineToo) = (first.isInline(real), second.isInline(ours))
        if inline != inlineToo { note(place, inline ? "in place" : "object", inlineToo ? "in place" : "object") }
        compare(first.target(real), second.target(ours), place)
      case (let first, nil): note(place, first?.target(real)?.keyedText ?? "null", "no key")
      case (nil, let second): note(place, "no key", second?.target(ours)?.keyedText ?? "null")
      }
    }
  }

  // MARK: Collections

  private mutating func compareCollections(_ left: ArchivedObject, _ right: ArchivedObject, _ place: String) {
    if let one = try? left.entries(as: place), let other = try? right.entries(as: place) {
      let (one, other) = (table(one), table(other))
      for key in Set(one.keys).union(other.keys) { compare(one[key], other[key], "\(place).*") }
      if let mapping = try? left.object("searchMapping"), let otherMapping = try? right.object("searchMapping") {
        compareFields(left, right)
        compareFields(mapping, otherMapping)
      }
      return
    }
    guard let one = try? left.elements(as: place), let other = try? right.elements(as: place) else {
      note(place, left.kind, right.kind)
      return
    }
    if one.count != other.count {
      note(place, "\(one.count) elements", "\(other.count) elements")
      return
    }
    let isSet = left.isKind(of: "NSSet")
    for (first, second) in zip(isSet ? sorted(one) : one, isSet ? sorted(other) : other) {
      compare(first, second, "\(place)[]")
    }
  }

  private func table(_ entries: [(key: String, value: ArchivedObject)]) -> [String: ArchivedObject] {
    Dictionary(entries.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
  }

  private func sorted(_ objects: [ArchivedObject]) -> [ArchivedObject] {
    objects.sorted { $0.sortName < $1.sortName }
  }
}

extension ArchivedObject {
  fileprivate struct Field {
    let position: Int

    func isInline(_ archive: KeyedArchive) -> Bool {
      if case .uid = archive.objects[position] { false } else { true }
    }

    /// `nil` for `$null`.
    func target(_ archive: KeyedArchive) -> ArchivedObject? {
      guard case .uid(let uid) = archive.objects[position] else {
        return ArchivedObject(archive: archive, position: position)
      }
      if uid == 0 { return nil }
      return archive.resolve(uid).map { ArchivedObject(archive: archive, position: $0) }
    }
  }

  fileprivate var fields: [String: Field] {
    guard case .dictionary(let keys, let values) = content else { return [:] }
    var fields: [String: Field] = [:]
    for (key, value) in zip(keys, values) {
      if case .string(let name) = archive.objects[key] { fields[name] = Field(position: value) }
    }
    return fields
  }

  fileprivate var isCollection: Bool {
    isKind(of: "NSArray") || isKind(of: "NSSet") || isKind(of: "NSDictionary")
  }

  fileprivate var sortName: String {
    text ?? (try? string("NSEntityName")) ?? (try? string("NSPropertyName")) ?? ""
  }

  /// The class, or the type of a plain value.
  fileprivate var kind: String {
    switch content {
    case .null: "null"
    case .boolean: "flag"
    case .integer: "integer"
    case .real, .float: "real"
    case .date: "date"
    case .data: "data"
    case .string: "string"
    case .uid: "reference"
    case .array: "array"
    case .set: "set"
    case .dictionary: classChain.first ?? "?"
    }
  }

  fileprivate var valueText: String {
    switch content {
    case .boolean(let flag): "\(flag)"
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .float(let number): "\(number)"
    case .string(let text): "“\(text)”"
    default: kind
    }
  }

  fileprivate var keyedText: String { isCollection ? kind : valueText }
}
