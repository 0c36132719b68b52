import ErrorReporting
import Foundation

/// A keyed archive (`NSKeyedArchiver`) over its flat property list.
///
/// References are followed on demand and may form any graph. A budget bounds the visits of objects, so that a small
/// archive with much sharing cannot unfold without end. An archive counts visits and remembers values that were read:
/// it is a class, and belongs to one thread.
package final class KeyedArchive {
  package let objects: [BinaryPropertyList.Object]
  /// Positions of the archive's objects in `objects`.
  let table: [Int]
  /// The reference under the key `root`, or the only reference if it has another key.
  let rootReference: Int
  private var visitsLeft: Int
  private var chains: [Int: [String]] = [:]
  /// The positions of the values under the short keys of dictionaries with many keys, which would be searched for each key.
  private var fields: [Int: [String: Int]] = [:]
  private var known: [Reading: Any] = [:]

  private struct Reading: Hashable {
    let position: Int
    let type: ObjectIdentifier
  }

  /// - Parameter visits: how many objects the archive may unfold into, beside 32 for each object that it contains.
  package init(_ list: BinaryPropertyList, visits: Int = 1_000_000) throws(KeyedArchiveError) {
    objects = list.objects
    visitsLeft = visits + 32 * list.objects.count
    func field(_ key: String, of position: Int) -> Int? { list.objects.field(key, of: position) }
    guard case .dictionary = list.objects[list.top] else { throw KeyedArchiveError("its value is no dictionary") }
    guard let archiver = field("$archiver", of: list.top), list.objects[archiver] == .string("NSKeyedArchiver"),
      let version = field("$version", of: list.top), list.objects[version] == .integer(100_000)
    else { throw KeyedArchiveError("it was not made by NSKeyedArchiver") }
    guard let content = field("$objects", of: list.top), case .array(let table) = list.objects[content],
      let top = field("$top", of: list.top), case .dictionary(_, let tops) = list.objects[top]
    else { throw KeyedArchiveError("“$objects” or “$top” is missing") }
    self.table = table
    guard let named = field("root", of: top) ?? (tops.count == 1 ? tops.first : nil),
      case .uid(let reference) = list.objects[named]
    else { throw KeyedArchiveError("“$top” names no object") }
    rootReference = reference
  }

  /// - Throws: ``KeyedArchiveError`` if the archive's root is not an object.
  package func rootObject() throws(KeyedArchiveError) -> ArchivedObject {
    guard let position = resolve(rootReference) else { throw KeyedArchiveError("“$top” names no object") }
    return ArchivedObject(archive: self, position: position)
  }

  /// The position of an archive's object; `nil` for a reference to nothing, or to another reference.
  func resolve(_ uid: Int) -> Int? {
    guard table.indices.contains(uid) else { return nil }
    if case .uid = objects[table[uid]] { return nil }
    return table[uid]
  }

  /// The longest key that is remembered. All keys for which decoders look are shorter, and many dictionaries may share one long key.
  private static let longestKey = 64

  /// The position of a dictionary's value under a key.
  func field(_ key: String, of position: Int) -> Int? {
    guard case .dictionary(let keys, let values) = objects[position], keys.count > 32,
      key.utf8.count <= Self.longestKey
    else {
      return objects.field(key, of: position)
    }
    if let known = fields[position] { return known[key] }
    var places: [String: Int] = [:]
    for (name, value) in zip(keys, values) {
      guard case .string(let text) = objects[name], text.utf8.count <= Self.longestKey else { continue }
      if places[text] == nil { places[text] = value }
    }
    fields[position] = places
    return places[key]
  }

  /// Counts visits of objects. Returns `false` when the budget is spent.
  func charge(_ count: Int) -> Bool {
    visitsLeft -= count
    return visitsLeft >= 0
  }

  func charge(_ count: Int, key: String) throws {
    guard charge(count) else { throw ArchiveFault(key: key, problem: "unfolds into too many objects") }
  }

  /// The class of an object and its superclasses, from the description of the class in the archive.
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

  /// Reads a value from an object, once for all references to the object.
  package func once<Value>(
    _ object: ArchivedObject, _ read: (ArchivedObject) throws -> Value
  ) rethrows -> Value {
    let reading = Reading(position: object.position, type: ObjectIdentifier(Value.self))
    if let value = known[reading] as? Value { return value }
    let value = try read(object)
    known[reading] = value
    return value
  }
}

extension [BinaryPropertyList.Object] {
  /// The position of a dictionary's value under a key.
  func field(_ key: String, of position: Int) -> Int? {
    guard case .dictionary(let keys, let values) = self[position] else { return nil }
    // Every look-up of a decoder comes here, so that the loop does without iterators.
    let count = Swift.min(keys.count, values.count)
    var index = 0
    while index < count {
      if case .string(let text) = self[keys[index]], text == key { return values[index] }
      index += 1
    }
    return nil
  }
}

/// The reason why a property list is not a keyed archive.
package struct KeyedArchiveError: ReportableError, Sendable, Hashable {
  /// A clause that follows "it is no keyed archive:".
  package let problem: String
  package var remedy: String? { nil }

  init(_ problem: String) { self.problem = problem }
}

/// A defect of an archived object. The caller adds the names of the entity and the property.
package struct ArchiveFault: Error {
  package let key: String
  package let problem: String
  /// Whether the content may be valid, but of a form that this program cannot read.
  package let isUnknown: Bool

  package init(key: String, problem: String, isUnknown: Bool = false) {
    self.key = key
    self.problem = problem
    self.isUnknown = isUnknown
  }
}
