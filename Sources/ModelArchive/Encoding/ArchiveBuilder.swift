import Foundation

/// Builds a keyed archive object by object.
///
/// An object is added with its fields, or reserved first and filled later where objects refer to one another. Strings
/// and class descriptions stand once; the order of calls alone decides the bytes.
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

  private enum Entry {
    case plain(BinaryPropertyList.Object)
    case object(className: Reference, fields: [(key: String, value: Field)])
    case classDescription([String])
  }

  private var entries: [Entry] = [.plain(.string("$null"))]
  private var plainObjects: [BinaryPropertyList.Object: Reference] = [:]
  private var classes: [String: Reference] = [:]
  /// Objects that stand once although many refer to them, by keys of their makers' choice.
  private var sharedObjects: [String: Reference] = [:]

  mutating func reserve() -> Reference {
    entries.append(.plain(.null))
    return Reference(uid: entries.count - 1)
  }

  mutating func fill(_ reference: Reference, _ class: ArchivedClass, _ fields: [(String, Field)]) {
    entries[reference.uid] = .object(className: description(of: `class`), fields: fields)
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

  mutating func plain(_ object: BinaryPropertyList.Object) -> Reference {
    if let known = plainObjects[object] { return known }
    entries.append(.plain(object))
    let reference = Reference(uid: entries.count - 1)
    plainObjects[object] = reference
    return reference
  }

  mutating func string(_ text: String?) -> Reference { text.map { plain(.string($0)) } ?? .null }

  mutating func list(_ class: ArchivedClass, _ elements: [Reference]) -> Reference {
    add(`class`, [("NS.objects", .references(elements))])
  }

  mutating func dictionary(_ class: ArchivedClass, _ contents: [(String, Reference)]) -> Reference {
    let keys = contents.map { string($0.0) }
    return add(`class`, [("NS.keys", .references(keys)), ("NS.objects", .references(contents.map(\.1)))])
  }

  private mutating func description(of archivedClass: ArchivedClass) -> Reference {
    if let known = classes[archivedClass.name] { return known }
    entries.append(.classDescription(archivedClass.chain))
    let reference = Reference(uid: entries.count - 1)
    classes[archivedClass.name] = reference
    return reference
  }

  /// The property list of the archive with `root` as its one top object.
  func finish(root: Reference) -> BinaryPropertyList {
    var table = PropertyListTable()
    let top = table.add(.null)
    let objects = table.add(.null)
    var positions: [Int] = []
    positions.reserveCapacity(entries.count)
    for entry in entries {
      switch entry {
      case .plain(let object): positions.append(table.add(object))
      case .classDescription(let chain):
        let names = chain.map { table.scalar(.string($0)) }
        let list = table.add(.array(names))
        positions.append(table.dictionary([("$classname", names.first ?? list), ("$classes", list)]))
      case .object(let className, let fields):
        var contents = fields.map { ($0.key, table.position(of: $0.value)) }
        contents.append(("$class", table.scalar(.uid(className.uid))))
        positions.append(table.dictionary(contents))
      }
    }
    table.objects[objects] = .array(positions)
    let named = table.dictionary([("root", table.scalar(.uid(root.uid)))])
    table.objects[top] = table.dictionaryObject([
      ("$version", table.scalar(.integer(100_000))), ("$archiver", table.scalar(.string("NSKeyedArchiver"))),
      ("$top", named), ("$objects", objects),
    ])
    return BinaryPropertyList(objects: table.objects, top: top)
  }
}

/// A property list's table in which equal scalars stand once.
private struct PropertyListTable {
  var objects: [BinaryPropertyList.Object] = []
  private var scalars: [BinaryPropertyList.Object: Int] = [:]

  mutating func add(_ object: BinaryPropertyList.Object) -> Int {
    switch object {
    case .array, .set, .dictionary, .null:
      objects.append(object)
      return objects.count - 1
    default: return scalar(object)
    }
  }

  mutating func scalar(_ object: BinaryPropertyList.Object) -> Int {
    if let known = scalars[object] { return known }
    objects.append(object)
    scalars[object] = objects.count - 1
    return objects.count - 1
  }

  mutating func position(of field: ArchiveBuilder.Field) -> Int {
    switch field {
    case .reference(let reference): scalar(.uid(reference.uid))
    case .references(let references): add(.array(references.map { scalar(.uid($0.uid)) }))
    case .plain(let object): scalar(object)
    }
  }

  mutating func dictionary(_ contents: [(String, Int)]) -> Int { add(dictionaryObject(contents)) }

  mutating func dictionaryObject(_ contents: [(String, Int)]) -> BinaryPropertyList.Object {
    .dictionary(keys: contents.map { scalar(.string($0.0)) }, values: contents.map(\.1))
  }
}
