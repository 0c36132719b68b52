import ArgumentParser
import CoreDataStore
import ErrorReporting
import Foundation
import StoreExchange
import ToolConsole

/// `store-tool import STORE FILE`
struct Import: StoreCommand {
  static let configuration = CommandConfiguration(
    abstract: "Makes objects from lines of JSON, all of them or none.",
    discussion: """
      Use the lines that `store-tool dump` prints, or write them by hand. Only $entity is required. $id is the name by \
      which other lines refer to the object: its former identifier, or any string. A reference may lead to an earlier or \
      a later line, in a circle, or to an object of the store (such as Book/p7). It is enough to give one side of a \
      relationship. A property that a line leaves out gets the model's default value, or none.

        {"$entity":"Category","$id":"drama","name":"Drama","children":["comedy"]}
        {"$entity":"Category","$id":"comedy","name":"Comedy"}

      One transaction writes everything, the store's history included. If a line is wrong, the message says which, and \
      the store does not change. Every object must satisfy the model's rules, as in Core Data: required values and \
      objects, smallest and largest values, lengths, regular expressions, numbers of related objects. An object of \
      the store must satisfy them, too, if a line takes its required object away. Some real stores break their own \
      rules; --lenient accepts their lines. Validation predicates that a program added to the model are \
      not evaluated; a note names them.

      With --model or --like, a store that does not exist is created; its objects keep the keys of their identifiers. It \
      takes its place when it is complete: an import that fails or is killed leaves no store. In an existing store \
      objects get new keys. With --update, a line changes the object that has the same identifier, or the \
      same unique values.

      EXAMPLES
        store-tool import Library.sqlite categories.jsonl --author importer
        store-tool import Library.sqlite corrections.jsonl --update
        store-tool import New.sqlite categories.jsonl --model Library.xcdatamodeld
        store-tool dump Old.sqlite |
          store-tool import Copy.sqlite - --like Old.sqlite --lenient

      EXIT CODES
        0  done
        2  a line is wrong, or the store cannot be written: nothing has changed; or
           the summary cannot be written: the error says that all is saved
      """)

  @Argument(help: "The store's file.", transform: parseFilePath) var store: String
  @Argument(help: "The file with the lines; - for standard input.", transform: parsePath) var file: String
  @Option(
    help: ArgumentHelp(
      """
      The model of a new store, or of a store that carries none: an .xcdatamodeld, .xcdatamodel, .momd or .mom, or a \
      store.
      """, valueName: "path"), transform: parsePath)
  var model: String?
  @Option(help: ArgumentHelp("A store whose model the new store gets.", valueName: "store"), transform: parsePath)
  var like: String?
  @Flag(help: "Change objects that exist, and add the others.") var update = false
  @Flag(help: "Do not enforce the model's rules and required values.") var lenient = false
  @Option(help: ArgumentHelp("The author that the store's history records.", valueName: "name"))
  var author: String?
  @Flag(help: "Print JSON.") var json = false

  func validate() throws {
    if model != nil, like != nil { throw ValidationError("--like cannot be combined with --model: leave one out.") }
  }

  /// The document of `--json`.
  struct Report: Encodable {
    let store: String
    let isNew: Bool
    let inserted: Int
    let updated: Int
    let transaction: Int64?
  }

  func perform() throws {
    let url = URL(fileURLWithPath: store)
    let isNew = try !StoreFile(url).exists
    if !isNew, like != nil {
      throw Failure(url, line: nil, "the store exists already", remedy: "leave out --like, or name a new store")
    }
    let input = try ImportFile(file)
    Interruption.shared.observe()
    let summary = try Progress.shared.during("importing into \(url.lastPathComponent)") {
      try withExtendedLifetime(input) {
        try isNew ? makeStore(at: url, from: input.url) : changeStore(from: input.url)
      }
    }
    Console.noteSaved("the objects are saved in \(store)")
    try report(summary, isNew: isNew)
  }

  private func changeStore(from input: URL) throws -> ObjectImport.Summary {
    let opened = try CandidateModels(path: model).open(store, options: StoreOptions())
    defer { opened.close() }
    return try run(input, into: opened, isNew: false)
  }

  private func makeStore(at url: URL, from input: URL) throws -> ObjectImport.Summary {
    let models = try CandidateModels(path: like ?? model)
    try models.requireModel(for: url)
    var summary = ObjectImport.Summary()
    try NewStore.make(at: url) { draft in
      let opened = try models.make(draft)
      defer { opened.close() }
      summary = try run(input, into: opened, isNew: true)
    }
    return summary
  }

  private func run(_ input: URL, into opened: PersistentStore, isNew: Bool) throws -> ObjectImport.Summary {
    var options = ObjectImport.Options()
    options.updates = update
    options.keepsKeys = isNew
    options.isLenient = lenient
    options.author = author
    do {
      let objects = ObjectImport(input, into: opened, options: options) {
        Progress.shared.advance()
        try Interruption.shared.check()
      }
      Console.report(
        objects.rulesNotEvaluated.map { Message(severity: .note, file: store, line: nil, problem: onOneLine($0)) })
      return try objects.run()
    } catch let error as ImportError {
      throw Failure([
        Message(
          severity: .error, file: file == "-" ? "standard input" : file, line: error.line, column: error.column,
          problem: onOneLine(error.problem), remedy: error.remedy.map { onOneLine($0) })
      ])
    }
  }

  private func report(_ summary: ObjectImport.Summary, isNew: Bool) throws {
    if json {
      return try Console.print(
        json: Report(
          store: store, isNew: isNew, inserted: summary.inserted, updated: summary.updated,
          transaction: summary.transaction))
    }
    let parts = ["\(summary.inserted) added"] + (summary.updated > 0 ? ["\(summary.updated) changed"] : [])
    try Console.print("\(onOneLine(store)): \(parts.joined(separator: ", "))\(isNew ? ", in a new store" : "")")
  }
}
