import ArgumentParser
import CoreDataStore
import Foundation
import PropertyLists
import StoreExchange
import ToolConsole

/// `store-tool dump STORE`
struct Dump: StoreCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints the objects of a store, one line of JSON each.",
    discussion: """
      Each line is an object: its entity, its identifier, and its properties by name. The value of a relationship is \
      the identifier of its object, or a list of them. A property without a value is left out, or null if the property \
      is required or has a default value.

        {"$entity":"Book","$id":"Book/p1","title":"Emma","authors":["Author/p3"]}

      Dates are in ISO 8601, or seconds since 2001 if they are out of its range. Data is in base64. Decimal numbers are \
      strings. A transformable value is the archived value, or {"$stored": …} with the column's bytes if they are no plain archive. Nothing is \
      lost: `store-tool import` makes the same objects from these lines. Only bytes of a text that are not UTF-8 become \
      U+FFFD; a warning names each text.

      A predicate is in NSPredicate's format, such as 'title CONTAINS[cd] "emma" AND category.name != nil'. Write dates, \
      UUIDs and bytes as strings.

      EXAMPLES
        store-tool dump Library.sqlite
        store-tool dump Library.sqlite --entity Book --filter 'pageCount > 300'
        store-tool dump Library.sqlite --entity Book --sort title --limit 10
        store-tool dump Library.sqlite --entity Book --properties title,authors
        store-tool dump Old.sqlite |
          store-tool import Copy.sqlite - --like Old.sqlite

      EXIT CODES
        0  done
        2  the store cannot be opened or read, or the model has no such name
      """)

  @OptionGroup var arguments: StoreArguments
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Only objects of this entity and its subentities; may be repeated.", valueName: "name"))
  var entity: [String] = []
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Only objects that satisfy this predicate in NSPredicate's format; needs --entity.", valueName: "predicate"))
  var filter: String?
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The attribute to sort by, or a path such as category.name; name:asc or name:desc; needs --entity. The default is the key.",
      valueName: "name"))
  var sort: [String] = []
  @Option(
    name: .shortAndLong, parsing: .unconditional,
    help: ArgumentHelp("The largest number of objects.", valueName: "number"))
  var limit: Int?
  @Option(
    name: [.customShort("p"), .customLong("properties"), .customLong("attributes")],
    help: ArgumentHelp("Only these properties, separated by commas; needs --entity.", valueName: "names"))
  var properties: String?

  /// The output is lines of JSON, not one JSON document.
  var json: Bool { false }

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit is negative: give the largest number of objects wanted.") }
    if let names = propertyNames, names.isEmpty {
      throw ValidationError("--properties names no property: write their names, separated by commas.")
    }
    guard entity.isEmpty else { return }
    for (flag, isSet) in [("--filter", filter != nil), ("--sort", !sort.isEmpty), ("--properties", properties != nil)]
    where isSet {
      throw ValidationError("\(flag) needs --entity: name the entity whose properties it is about.")
    }
  }

  func perform() throws {
    let store = try arguments.openForReading()
    defer { store.close() }
    let requests = try self.requests(store)
    let output = ResultStream()
    Interruption.shared.observe()
    let (omissions, repaired) = try Progress.shared.during(
      "dumping \(URL(fileURLWithPath: arguments.store).lastPathComponent)"
    ) {
      try store.readObjects { reader in
        var text = JSONWriter()
        var rest = limit ?? .max
        for var request in requests(reader) where rest > 0 {
          if limit != nil { request.limit = rest }
          let objects = try reader.objects(request)
          while let object = try objects.next() {
            text.removeAll()
            text.write(object)
            text.endDocument()
            try output.write(text.bytes)
            rest -= 1
            Progress.shared.advance()
            try Interruption.shared.check()
          }
        }
        try output.flush()
        return (reader.omissions, reader.repairedTexts)
      }
    }
    report(omissions, of: arguments.store)
    report(repaired, of: arguments.store)
  }

  private var propertyNames: Set<String>? {
    properties.map { names in
      Set(names.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty })
    }
  }

  /// A request for each chosen entity.
  private func requests(_ store: PersistentStore) throws -> (ObjectReader) -> [ObjectRequest] {
    let names = propertyNames
    let named = try ObjectRequest.entities(entity, in: store).map { name in
      try ObjectRequest(entityName: name, filter: filter, sortKeys: sort, limit: limit, properties: names, in: store)
    }
    return { reader in named.isEmpty ? reader.rootEntities.map { ObjectRequest(entityName: $0) } : named }
  }
}
