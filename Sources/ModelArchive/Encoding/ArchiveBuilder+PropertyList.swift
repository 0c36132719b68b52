import PropertyLists

extension ArchiveBuilder {
  /// The property list of the archive with `root` as its one top object.
  func finish(root: Reference) -> BinaryPropertyList {
    let numbering = ArchiveNumbering(entries, root: root)
    var table = ArchiveTable()
    let top = table.reserve()
    let keys = ["$version", "$archiver", "$top", "$objects"].map { table.key($0) }
    let version = table.integer(100_000, isWide: true)
    let archiver = table.append(.string("NSKeyedArchiver"))
    let named = table.reserve()
    let rootKey = table.key("root")
    table.objects[named] = .dictionary(keys: [rootKey], values: [table.uid(numbering.number(of: root))])
    let list = table.reserve()
    let positions = numbering.items.map { item in
      switch item {
      case .classDescription(let archivedClass): table.add(archivedClass)
      case .entry(let entry):
        switch entries[entry] {
        case .plain(let object): table.add(object)
        case .object(let archivedClass, let fields): table.add(archivedClass, fields, numbering)
        }
      }
    }
    table.objects[list] = .array(positions)
    table.objects[top] = .dictionary(keys: keys, values: [version, archiver, named, list])
    return BinaryPropertyList(objects: table.objects, top: top)
  }
}

/// A property list's table as Core Foundation fills it for a keyed archive (VH-15).
///
/// A container stands before what it names, a dictionary's keys before its values. References and flags stand as often as
/// they are named, but it is the first equal one that is named; numbers and texts stand once where they are one object to
/// Foundation: keys, numbers of one size, and texts that a pointer can hold.
private struct ArchiveTable {
  private enum Identity: Hashable {
    case key(String)
    case shortText(String)
    case className(String)
    case integer(Int128, isWide: Bool)
    case flag(Bool)
  }

  var objects: [BinaryPropertyList.Object] = []
  private var known: [Identity: Int] = [:]
  private var references: [Int: Int] = [:]
  private var layouts: [[String]: (order: [Int], keys: [Int])] = [:]

  mutating func reserve() -> Int { append(.null) }

  mutating func append(_ object: BinaryPropertyList.Object) -> Int {
    objects.append(object)
    return objects.count - 1
  }

  mutating func key(_ name: String) -> Int { once(.key(name), .string(name)) }

  mutating func integer(_ value: Int128, isWide: Bool) -> Int {
    once(.integer(value, isWide: isWide), .integer(value))
  }

  mutating func uid(_ number: Int) -> Int {
    let position = append(.uid(number))
    return references.insertIfAbsent(position, for: number)
  }

  /// One of the archive's objects that is no container.
  mutating func add(_ object: BinaryPropertyList.Object, isWide: Bool = true) -> Int {
    switch object {
    case .boolean(let value): known.insertIfAbsent(append(object), for: .flag(value))
    case .integer(let value): integer(value, isWide: isWide)
    case .string(let text) where ShortText.contains(text): once(.shortText(text), object)
    default: append(object)
    }
  }

  mutating func add(
    _ archivedClass: ArchivedClass, _ fields: [(key: String, value: ArchiveBuilder.Field)],
    _ numbering: ArchiveNumbering
  ) -> Int {
    let position = reserve()
    let (order, keys) = layout(fields.map(\.key) + ["$class"])
    let values = order.map { index in
      if index == fields.count { return uid(numbering.number(of: archivedClass)) }
      switch fields[index].value {
      case .reference(let reference): return uid(numbering.number(of: reference))
      case .plain(let object): return add(object, isWide: ArchivedClass.wideKeys.contains(fields[index].key))
      case .references(let items):
        let list = reserve()
        objects[list] = .array(items.map { uid(numbering.number(of: $0)) })
        return list
      }
    }
    objects[position] = .dictionary(keys: keys, values: values)
    return position
  }

  mutating func add(_ archivedClass: ArchivedClass) -> Int {
    let position = reserve()
    let keys = ["$classname", "$classes"].map { key($0) }
    let name = className(archivedClass.name)
    let list = reserve()
    objects[list] = .array(archivedClass.chain.map { className($0) })
    objects[position] = .dictionary(keys: keys, values: [name, list])
    return position
  }

  private mutating func className(_ name: String) -> Int {
    if ShortText.contains(name) { return once(.shortText(name), .string(name)) }
    return ArchivedClass.namesOfOneObject.contains(name)
      ? once(.className(name), .string(name)) : append(.string(name))
  }

  private mutating func once(_ identity: Identity, _ object: BinaryPropertyList.Object) -> Int {
    if let position = known[identity] { return position }
    let position = append(object)
    known[identity] = position
    return position
  }

  /// Which of the keys is at each place of their dictionary, and where it stands; many objects have the same ones.
  private mutating func layout(_ keys: [String]) -> (order: [Int], keys: [Int]) {
    if let layout = layouts[keys] { return layout }
    let order = DictionaryOrder.sortedAsGrown(keys).compactMap { keys.firstIndex(of: $0) }
    let layout = (order, order.map { key(keys[$0]) })
    layouts[keys] = layout
    return layout
  }
}

extension Dictionary {
  fileprivate mutating func insertIfAbsent(_ value: Value, for key: Key) -> Value {
    if let known = self[key] { return known }
    self[key] = value
    return value
  }
}

/// Texts that Foundation keeps in the pointer itself, so that equal ones are one object.
///
/// Up to seven ASCII characters fit, nine of the commonest 64, and eleven of the commonest 32.
enum ShortText {
  private static let common = Array("eilotrm.apdnsIc ufkMShjTRxgC4013bDNvwyUL2O856P-B79AFKEWV_zGJ/HYX".utf8)
  private static let (sixBits, fiveBits) = (Set(common), Set(common.prefix(32)))

  static func contains(_ text: String) -> Bool {
    let bytes = text.utf8
    switch bytes.count {
    case ...7: return bytes.allSatisfy { $0 < 0x80 }
    case ...9: return bytes.allSatisfy(sixBits.contains)
    case ...11: return bytes.allSatisfy(fiveBits.contains)
    default: return false
    }
  }
}
