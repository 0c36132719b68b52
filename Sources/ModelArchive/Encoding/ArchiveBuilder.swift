import Foundation
import PropertyLists

/// Builds a keyed archive object by object.
///
/// An object is added with its fields, or reserved first and filled later where objects refer to one another. The order of
/// calls does not matter: objects are numbered as Core Data's archiver comes to them (``ArchiveNumbering``).
struct ArchiveBuilder {
  /// A reference to an archive's object; ``null`` refers to nothing.
  struct Reference: Hashable {
    let uid: Int

    static let null = Reference(uid: 0)
  }

  enum Field {
    case reference(Reference)
    case references([Reference])
    case plain(BinaryPropertyList.Object)

    static func integer(_ value: Int) -> Field { .plain(.integer(Int128(value))) }
    static func flag(_ value: Bool) -> Field { .plain(.boolean(value)) }
  }

  private struct Identity: Hashable {
    let object: BinaryPropertyList.Object
    let owner: String
  }

  enum Entry {
    case plain(BinaryPropertyList.Object)
    /// The fields in the order in which the class's objects archive them.
    case object(ArchivedClass, [(key: String, value: Field)])
  }

  private(set) var entries: [Entry] = [.plain(.string("$null"))]
  private var plainObjects: [Identity: Reference] = [:]
  /// Objects that stand once although many refer to them, by keys of their makers' choice.
  private var sharedObjects: [String: Reference] = [:]

  mutating func reserve() -> Reference {
    entries.append(.plain(.string("$null")))
    return Reference(uid: entries.count - 1)
  }

  mutating func fill(_ reference: Reference, _ class: ArchivedClass, _ fields: [(String, Field)]) {
    let places = `class`.places
    let placed = fields.map { (place: places[$0.0] ?? .max, field: $0) }.sorted { $0.place < $1.place }
    entries[reference.uid] = .object(`class`, placed.map { ($0.field.0, $0.field.1) })
  }

  mutating func add(_ class: ArchivedClass, _ fields: [(String, Field)]) -> Reference {
    let reference = reserve()
    fill(reference, `class`, fields)
    return reference
  }

  /// The object of a key, made when it is first asked for.
  mutating func shared(_ key: String, _ make: (inout ArchiveBuilder) -> Reference) -> Reference {
    if let known = sharedObjects[key] { return known }
    let reference = make(&self)
    sharedObjects[key] = reference
    return reference
  }

  /// An object that is no container; equal ones of one owner are one object, but for data.
  mutating func plain(_ object: BinaryPropertyList.Object, of owner: String = "") -> Reference {
    if case .data = object {
      entries.append(.plain(object))
      return Reference(uid: entries.count - 1)
    }
    let identity = Identity(object: object, owner: owner)
    if let known = plainObjects[identity] { return known }
    entries.append(.plain(object))
    let reference = Reference(uid: entries.count - 1)
    plainObjects[identity] = reference
    return reference
  }

  /// - Parameter owner: what keeps a text of its own; short texts are one object all the same.
  mutating func string(_ text: String?, of owner: String = "") -> Reference {
    text.map { plain(.string($0), of: owner.isEmpty || ShortText.contains($0) ? "" : owner) } ?? .null
  }

  /// A text that is an object of its own, unless it is short.
  mutating func ownString(_ text: String) -> Reference { string(text, of: "\(entries.count)") }

  mutating func list(_ class: ArchivedClass, _ elements: [Reference]) -> Reference {
    add(`class`, [("NS.objects", .references(elements))])
  }

  /// - Parameters:
  ///   - contents: in the order in which they are archived, as of ``DictionaryOrder``.
  ///   - keyOwners: whom keys belong to, by key.
  mutating func dictionary(
    _ class: ArchivedClass, _ contents: [(String, Reference)], keyOwners: [String: String] = [:]
  ) -> Reference {
    let keys = contents.map { string($0.0, of: keyOwners[$0.0, default: ""]) }
    return add(`class`, [("NS.keys", .references(keys)), ("NS.objects", .references(contents.map(\.1)))])
  }

  /// A set of what has names, or of texts: both have the places of texts.
  mutating func set(_ contents: [(String, Reference)]) -> Reference {
    list(.set, contents.ordered { DictionaryOrder.sorted($0) }.map(\.1))
  }
}

extension [(String, ArchiveBuilder.Reference)] {
  /// The entries in the order that their keys have, which differ from one another.
  func ordered(as order: ([String]) -> [String]) -> Self {
    let values = Dictionary(self, uniquingKeysWith: { first, _ in first })
    return order(map(\.0)).compactMap { key in values[key].map { (key, $0) } }
  }
}
