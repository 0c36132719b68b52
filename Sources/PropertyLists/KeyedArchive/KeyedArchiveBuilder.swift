package import Foundation

/// Builds a keyed archive object by object.
///
/// An object is added with its fields, or reserved first and filled later if objects refer to one another. Objects get
/// their numbers in the order of the calls; the description of a class follows its first object. A caller that adds each
/// value before the values that it holds gets the order of Apple's archiver.
package struct KeyedArchiveBuilder: Sendable {
  /// A reference to an archive's object; ``null`` refers to nothing.
  package struct Reference: Hashable, Sendable {
    fileprivate let uid: Int

    package static let null = Reference(uid: 0)
  }

  package enum Field: Sendable {
    case reference(Reference)
    case references([Reference])
    case plain(BinaryPropertyList.Object)

    package static func integer(_ value: Int) -> Field { .plain(.integer(Int128(value))) }
    package static func flag(_ value: Bool) -> Field { .plain(.boolean(value)) }
  }

  private enum Entry {
    case plain(BinaryPropertyList.Object)
    case object([(key: String, value: Field)])
    case classDescription([String])
  }

  private var entries: [Entry] = [.plain(.string("$null"))]
  private var plainObjects: [SharingKey: Reference] = [:]
  private var sharedObjects: [String: Reference] = [:]
  private var classes: [String: Reference] = [:]

  package init() {}

  package mutating func reserve() -> Reference { append(.plain(.null)) }

  /// Gives a reserved object its fields and its class.
  ///
  /// - Parameter chain: the class and its superclasses.
  package mutating func fill(_ reference: Reference, _ fields: [(String, Field)], chain: [String]) {
    let name = chain.first ?? ""
    let description: Reference
    if let known = classes[name] {
      description = known
    } else {
      description = append(.classDescription(chain))
      classes[name] = description
    }
    entries[reference.uid] = .object(fields + [("$class", .reference(description))])
  }

  package mutating func add(_ fields: [(String, Field)], chain: [String]) -> Reference {
    let reference = reserve()
    fill(reference, fields, chain: chain)
    return reference
  }

  /// An object that is no container; equal ones are one object.
  package mutating func plain(_ object: BinaryPropertyList.Object) -> Reference {
    let key = SharingKey(object)
    if let known = plainObjects[key] { return known }
    let reference = append(.plain(object))
    plainObjects[key] = reference
    return reference
  }

  /// The object of a key, made when it is asked for the first time.
  package mutating func shared(_ key: String, _ make: (inout KeyedArchiveBuilder) -> Reference) -> Reference {
    if let known = sharedObjects[key] { return known }
    let reference = make(&self)
    sharedObjects[key] = reference
    return reference
  }

  private mutating func append(_ entry: Entry) -> Reference {
    entries.append(entry)
    return Reference(uid: entries.count - 1)
  }

  // MARK: Values

  /// An `NSDate`. Apple's dates are values inside a pointer, so that equal dates are one object to an archiver.
  package mutating func date(_ seconds: Double) -> Reference {
    shared("NSDate \(seconds.bitPattern)") {
      $0.add([("NS.time", .plain(.real(seconds)))], chain: ArchivedValueClass.date.chain)
    }
  }

  package mutating func uuid(_ uuid: UUID) -> Reference {
    let bytes = withUnsafeBytes(of: uuid.uuid) { Data($0) }
    return add([("NS.uuidbytes", .plain(.data(bytes)))], chain: ArchivedValueClass.uuid.chain)
  }

  package mutating func decimal(_ number: Decimal) -> Reference {
    let mantissa = ArchivedMantissa(number)
    return add(
      [
        ("NS.mantissa", .plain(.data(mantissa.bytes))), ("NS.negative", .flag(number.isNaN || number.isSignMinus)),
        ("NS.exponent", .integer(number.isNaN ? 0 : number.exponent)), ("NS.mantissa.bo", .integer(1)),
        ("NS.length", .integer(mantissa.wordCount)), ("NS.compact", .flag(false)),
      ], chain: ArchivedValueClass.decimalNumberPlaceholder.chain)
  }

  // MARK: The property list

  /// The property list of the archive with `root` as its one top object.
  package func finish(root: Reference, rootKey: String = "root") -> BinaryPropertyList {
    var table = SharingTable()
    table.dictionary(["$version", "$archiver", "$top", "$objects"]) { table, key in
      switch key {
      case "$version": table.add(.integer(100_000))
      case "$archiver": table.add(.string("NSKeyedArchiver"))
      case "$top": table.dictionary([rootKey]) { table, _ in table.add(.uid(root.uid)) }
      default: table.array(entries) { table, entry in Self.write(entry, into: &table) }
      }
    }
    return BinaryPropertyList(objects: table.objects, top: 0)
  }

  private static func write(_ entry: Entry, into table: inout SharingTable) -> Int {
    switch entry {
    case .plain(let object): return table.add(object)
    case .classDescription(let chain):
      return table.dictionary(["$classname", "$classes"]) { table, key in
        key == "$classname"
          ? table.add(.string(chain.first ?? "")) : table.array(chain) { table, name in table.add(.string(name)) }
      }
    case .object(let fields):
      var remaining = fields[...]
      return table.dictionary(fields.map(\.key)) { table, _ in
        switch remaining.removeFirst().value {
        case .reference(let reference): table.add(.uid(reference.uid))
        case .references(let references): table.array(references) { table, item in table.add(.uid(item.uid)) }
        case .plain(let object): table.add(object)
        }
      }
    }
  }
}
