import PropertyLists

extension KeyedArchiveBuilder {
  mutating func fill(_ reference: Reference, _ archivedClass: ArchivedClass, _ fields: [(String, Field)]) {
    fill(reference, fields, chain: archivedClass.chain)
  }

  mutating func add(_ archivedClass: ArchivedClass, _ fields: [(String, Field)]) -> Reference {
    add(fields, chain: archivedClass.chain)
  }

  mutating func string(_ text: String?) -> Reference { text.map { plain(.string($0)) } ?? .null }

  mutating func list(_ archivedClass: ArchivedClass, _ elements: [Reference]) -> Reference {
    add(archivedClass, [("NS.objects", .references(elements))])
  }

  mutating func dictionary(_ archivedClass: ArchivedClass, _ contents: [(String, Reference)]) -> Reference {
    let keys = contents.map { string($0.0) }
    return add(archivedClass, [("NS.keys", .references(keys)), ("NS.objects", .references(contents.map(\.1)))])
  }
}
