import Foundation
import ManagedModel

/// A keyed archive (`NSKeyedArchiver`) over its flat property list.
///
/// References are followed on demand and may form any graph; a budget bounds how often objects are visited, so that a
/// small archive in which everything is shared cannot be unfolded into an endless one. What copies of an inherited
/// property share is read once. One archive, one reader: the budget makes it a class that must not be shared between
/// threads.
final class KeyedArchive {
  let objects: [BinaryPropertyList.Object]
  /// Positions of the archive's objects in `objects`.
  private let table: [Int]
  private var root = 0
  private var visitsLeft: Int
  private var chains: [Int: [String]] = [:]
  private var predicates: [Int: ArchivedPredicate] = [:]
  private var derivations: [Int: String] = [:]
  private var userInfos: [Int: [String: UserInfoValue]] = [:]

  init(_ list: BinaryPropertyList) throws {
    objects = list.objects
    // An object of a model has up to thirty keys; beyond them, lists name the same strings again and again.
    visitsLeft = 1_000_000 + 32 * list.objects.count
    guard case .dictionary(let keys, let values) = list.objects[list.top] else {
      throw ModelArchiveError.notAKeyedArchive("its value is no dictionary")
    }
    func value(_ key: String) -> BinaryPropertyList.Object? {
      zip(keys, values).first { list.objects[$0.0] == .string(key) }.map { list.objects[$0.1] }
    }
    guard value("$archiver") == .string("NSKeyedArchiver"), value("$version") == .integer(100_000) else {
      throw ModelArchiveError.notAKeyedArchive("it was not made by NSKeyedArchiver")
    }
    guard case .array(let table)? = value("$objects"), case .dictionary(let names, let tops)? = value("$top") else {
      throw ModelArchiveError.notAKeyedArchive("“$objects” or “$top” is missing")
    }
    self.table = table
    let named = zip(names, tops).first { list.objects[$0.0] == .string("root") }?.1 ?? tops.first
    guard let top = named, case .uid(let uid) = list.objects[top], let root = resolve(uid) else {
      throw ModelArchiveError.notAKeyedArchive("“$top” names no object")
    }
    self.root = root
  }

  var rootObject: ArchivedObject { ArchivedObject(archive: self, position: root) }

  /// The position of an archive's object; `nil` for a reference to nothing, or to a reference.
  func resolve(_ uid: Int) -> Int? {
    guard table.indices.contains(uid) else { return nil }
    if case .uid = objects[table[uid]] { return nil }
    return table[uid]
  }

  func charge(_ count: Int, key: String) throws {
    visitsLeft -= count
    if visitsLeft < 0 { throw ArchiveFault(key: key, problem: "unfolds into too many objects") }
  }

  /// The class of an object and its superclasses, from the archive itself.
  func classChain(of position: Int) -> [String] {
    if let known = chains[position] { return known }
    var chain: [String] = []
    if case .dictionary(let keys, let values) = objects[position] {
      for (key, value) in zip(keys, values) {
        switch (objects[key], objects[value]) {
        case (.string("$classname"), .string(let name)): chain.insert(name, at: 0)
        case (.string("$classes"), .array(let items)):
          for item in items.prefix(16) {
            if case .string(let name) = objects[item] { chain.append(name) }
          }
        default: break
        }
      }
    }
    chains[position] = chain
    return chain
  }

  // MARK: What copies share

  func predicate(_ object: ArchivedObject) throws -> ArchivedPredicate {
    try read(object, \.predicates) {
      let tree = try PredicateReader().predicate($0)
      return ArchivedPredicate(tree: tree, format: tree.format)
    }
  }

  func derivation(_ object: ArchivedObject) throws -> String {
    try read(object, \.derivations) { try PredicateReader().expression($0).derivationText }
  }

  func userInfo(
    _ object: ArchivedObject, _ make: (ArchivedObject) throws -> [String: UserInfoValue]
  ) throws -> [String: UserInfoValue] {
    try read(object, \.userInfos, make)
  }

  private func read<Value>(
    _ object: ArchivedObject, _ known: ReferenceWritableKeyPath<KeyedArchive, [Int: Value]>,
    _ make: (ArchivedObject) throws -> Value
  ) throws -> Value {
    if let value = self[keyPath: known][object.position] { return value }
    let value = try make(object)
    self[keyPath: known][object.position] = value
    return value
  }
}

/// A predicate with its text, which is made once however many properties have it.
struct ArchivedPredicate {
  let tree: PredicateTree
  let format: String
}

/// Something in an archive that is not as it must be; the decoder adds the entity and the property.
struct ArchiveFault: Error {
  let key: String
  let problem: String
  /// Whether the archive may well be right, and only nobody has seen how what it holds is to be read.
  var isUnknown = false
}
