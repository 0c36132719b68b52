import Foundation

/// One object of a keyed archive, read by key.
///
/// An absent key and a reference to `$null` both read as `nil`. A value of an unexpected type throws an
/// ``ArchiveFault``.
package struct ArchivedObject {
  package let archive: KeyedArchive
  /// The position in the property list; equal for references to one object.
  let position: Int

  package var content: BinaryPropertyList.Object { archive.objects[position] }

  /// The object's class and its superclasses; empty for plain values.
  package var classChain: [String] {
    guard let reference = reference(to: "$class"), case .uid(let uid) = archive.objects[reference],
      let position = archive.resolve(uid)
    else { return [] }
    return archive.classChain(of: position)
  }

  package func isKind(of name: String) -> Bool { classChain.contains(name) }

  package func object(_ key: String) throws -> ArchivedObject? {
    try archive.charge(1 + keyCount / 32, key: key)
    return try reference(to: key).flatMap { try follow($0, key) }
  }

  package func string(_ key: String) throws -> String? {
    guard let value = try object(key) else { return nil }
    guard let text = value.text else { throw ArchiveFault(key: key, problem: "is not a string") }
    try value.chargeText(key)
    return text
  }

  package func required(_ key: String) throws -> String {
    guard let text = try string(key) else { throw ArchiveFault(key: key, problem: "is missing") }
    return text
  }

  package func integer(_ key: String) throws -> Int? {
    guard let value = try object(key) else { return nil }
    switch value.content {
    case .integer(let number):
      guard let result = Int(exactly: number) else { throw ArchiveFault(key: key, problem: "is too large a number") }
      return result
    case .boolean(let flag): return flag ? 1 : 0
    default: throw ArchiveFault(key: key, problem: "is not a number")
    }
  }

  package func flag(_ key: String) throws -> Bool { try integer(key).map { $0 != 0 } ?? false }

  /// The elements of an array or a set; empty if the key is absent.
  package func elements(_ key: String) throws -> [ArchivedObject] {
    guard let value = try object(key) else { return [] }
    guard let elements = try value.elements(as: key) else {
      throw ArchiveFault(key: key, problem: "is not a list")
    }
    return elements
  }

  /// The entries of a dictionary with strings as keys, in the archive's order; empty if the key is absent.
  package func entries(_ key: String) throws -> [(key: String, value: ArchivedObject)] {
    guard let value = try object(key) else { return [] }
    guard let entries = try value.entries(as: key) else {
      throw ArchiveFault(key: key, problem: "is not a dictionary")
    }
    return entries
  }

  /// Counts the object's text as visits by its length, since many references to one long text would make many copies of it.
  package func chargeText(_ key: String) throws { try archive.charge((text?.utf8.count ?? 0) / 32, key: key) }

  /// The object's text if it is a string, mutable or not.
  package var text: String? {
    switch content {
    case .string(let text): return text
    case .dictionary:
      guard let reference = reference(to: "NS.string"), case .string(let text) = archive.objects[reference] else {
        return nil
      }
      return text
    default: return nil
    }
  }

  package func elements(as key: String) throws -> [ArchivedObject]? {
    try references(to: "NS.objects", key)
  }

  package func entries(as key: String) throws -> [(key: String, value: ArchivedObject)]? {
    let keys: [ArchivedObject]?
    let values: [ArchivedObject]?
    if let mapping = try object("searchMapping") {
      // NSKnownKeysDictionary1 keeps keys and values apart. An empty slot has a marker object among the values.
      keys = try mapping.elements("keys")
      values = try elements("values")
    } else {
      keys = try references(to: "NS.keys", key)
      values = try references(to: "NS.objects", key)
    }
    guard let keys, let values else { return nil }
    guard keys.count == values.count else { throw ArchiveFault(key: key, problem: "has more keys than values") }
    return try zip(keys, values).map { name, value in
      guard let text = name.text else { throw ArchiveFault(key: key, problem: "has a key that is not a string") }
      return (text, value)
    }
  }

  /// The objects in the list under a key; `nil` if the key is absent.
  ///
  /// - Parameter key: names the object in errors.
  package func references(to name: String, _ key: String) throws -> [ArchivedObject]? {
    guard let position = reference(to: name) else { return nil }
    guard case .array(let items) = archive.objects[position] else {
      throw ArchiveFault(key: key, problem: "is not a list")
    }
    try archive.charge(items.count, key: key)
    return try items.map { item in
      guard let object = try follow(item, key) else { throw ArchiveFault(key: key, problem: "contains nothing") }
      return object
    }
  }

  /// The number of keys, which the search for one key costs.
  private var keyCount: Int {
    if case .dictionary(let keys, _) = content { keys.count } else { 0 }
  }

  private func reference(to key: String) -> Int? { archive.field(key, of: position) }

  private func follow(_ position: Int, _ key: String) throws -> ArchivedObject? {
    guard case .uid(let uid) = archive.objects[position] else {
      return ArchivedObject(archive: archive, position: position)
    }
    guard let target = archive.resolve(uid) else {
      throw ArchiveFault(key: key, problem: "refers to an object that does not exist")
    }
    if uid == 0, case .string("$null") = archive.objects[target] { return nil }
    return ArchivedObject(archive: archive, position: target)
  }
}
