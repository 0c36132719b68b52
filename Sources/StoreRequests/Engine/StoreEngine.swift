package import Foundation

/// A store as the framework sees it: it answers requests about entities and writes change sets.
///
/// Requests name entities by number or name and properties by name, both as in ``entities``. An engine never sees a class. Reads
/// may come from several threads at once; each sees one committed state. A save is one transaction.
///
/// Two engines need no SQL in common: `CoreDataStore` keeps rows in SQLite, and the tests have one over dictionaries.
package protocol StoreEngine: AnyObject, Sendable {
  associatedtype Rows: ObjectRows

  /// The name of the store, which no other store has; a part of each object's identifier (CD-10).
  var identifier: String { get }
  /// The database and its host, for errors of values that only this store refuses. The default is `nil`: a file beside the program.
  var place: String? { get }
  /// Fixed while the store is open.
  var entities: EntityTable { get }
  /// The framework does in memory what is missing here.
  var capabilities: StoreCapabilities { get }

  /// Whether the engine selects by a condition the very objects for which it is true.
  ///
  /// If not, ``fetch(_:)`` selects at least these objects, and the framework tests each of them. Requests for a count, keys or values then
  /// ask for the certain rows; see ``Certainty``. The engine refuses a batch change by the condition if it cannot decide about a row.
  /// The default is `true`.
  func decides(_ condition: FetchExpression, entityName: String) -> Bool

  /// Whether the engine sorts by a term exactly as memory does; if not, no request has it. The default is `true`.
  func sorts(by term: SortTerm, entityName: String) -> Bool

  /// The rows that satisfy a request.
  ///
  /// - Throws: ``QueryError`` if the request names an entity or a property that the store does not have; the engine's own errors.
  func fetch(_ request: FetchRequest) throws -> Rows

  /// Like ``fetch(_:)``, for a caller that reads the rows slowly, and perhaps not all: not all rows need be in memory at a time.
  func stream(_ request: FetchRequest) throws -> Rows

  /// The rows of these keys in any order; keys without a row are left out.
  ///
  /// - Parameters:
  ///   - keys: of entities of one hierarchy.
  ///   - columns: of any entities of that hierarchy.
  func fetch(keys: [ObjectKey], columns: [ColumnSelection]) throws -> Rows

  /// The members of a to-many relationship of several owners; the members of one owner stand together, in the relationship's
  /// order, or by key if it has none.
  ///
  /// - Parameters:
  ///   - relationship: a to-many relationship and an entity that has it.
  ///   - owners: objects of that entity.
  ///   - columns: of the destination entity and its subentities.
  func related(
    to relationship: (entityName: String, name: String), owners: [ObjectKey], columns: [ColumnSelection]
  ) throws -> Rows

  /// The number of rows that satisfy a request, within its limit and offset.
  func count(_ request: FetchRequest) throws -> Int

  /// The identities of the rows that satisfy a request, in its order.
  func keys(_ request: FetchRequest) throws -> [ObjectKey]

  /// Whether an object, or another object of its hierarchy with its key, has a row.
  func hasRow(_ object: ObjectKey) throws -> Bool

  /// Writes a change set in one transaction, or nothing at all.
  ///
  /// Tells every source of an insertion its key before it asks any source for values. If the save throws, these keys are void. Lets
  /// both keys of a one-to-one relationship agree if it writes one of them; see ``PartnerLinks`` and ``SaveResult/relinked``.
  /// - Throws: ``SaveError``, ``BatchRefusal``, ``QueryError``, the engine's own errors, or an error of a source.
  func save(_ changes: ChangeSet) throws -> SaveResult

  /// The name of an object's key in identifiers, for an engine whose own keys are no integers; `nil` for Core Data's `p<key>`.
  ///
  /// Such an engine gives each of its keys an integer, and keeps it as long as the store is open.
  func keyName(of object: ObjectKey) -> String?

  /// The key that an identifier names, for an engine whose own keys are no integers; `nil` if it has no such key.
  func key(named name: String, entity: Int32) -> Int64?
}

extension StoreEngine {
  package var place: String? { nil }
  package func decides(_ condition: FetchExpression, entityName: String) -> Bool { true }
  package func sorts(by term: SortTerm, entityName: String) -> Bool { true }
  package func stream(_ request: FetchRequest) throws -> Rows { try fetch(request) }
  package func keyName(of object: ObjectKey) -> String? { nil }
  package func key(named name: String, entity: Int32) -> Int64? { nil }
}

/// What an engine can do of a request.
package struct StoreCapabilities: OptionSet, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// It selects rows by predicates. Without it, no request has a predicate.
  package static let filter = StoreCapabilities(rawValue: 1)
  /// It sorts rows. Without it, no request has sort terms, and rows come in the order of their keys.
  package static let sort = StoreCapabilities(rawValue: 2)
  /// Rows may be read while the same thread saves; the rows stay those of the state before.
  package static let readWhileSaving = StoreCapabilities(rawValue: 4)
  /// It carries out batch changes in a save. Without it, no change set has any.
  package static let batch = StoreCapabilities(rawValue: 8)
  /// It keeps all digits of decimal numbers. A constant that a double cannot hold is then the text of its digits; see
  /// ``StoreValue/init(allDigitsOf:)``. Without it, the constant is the value that Core Data's column would hold.
  package static let decimals = StoreCapabilities(rawValue: 16)
  /// It is a ``SearchEngine``. Without it, no request has a full-text condition.
  package static let search = StoreCapabilities(rawValue: 32)
  /// It may read arrays that attributes keep as keyed archives. It decides only about arrays that it keeps in another
  /// form. Without it, no request has ``FetchExpression/contains(_:element:)`` or ``FetchExpression/elementCount(_:)``.
  package static let collections = StoreCapabilities(rawValue: 64)
  /// A row that an insertion overwrites has the insertion's values in all columns of the insertion, and the version that
  /// ``SaveResult/inserted`` tells. Without it, the row is read again after the save.
  package static let overwrite = StoreCapabilities(rawValue: 128)
}

/// An engine that computes values of rows and of groups of rows.
package protocol ValueEngine: StoreEngine {
  associatedtype Values: ValueRows

  /// The values that a request asks for; of each row of the result, the columns from 0 on.
  ///
  /// - Throws: ``QueryError`` if the request names what the store does not have, or asks a group for a value that differs in it;
  ///   ``SumOverflow``, here or from the rows.
  func values(_ request: ValueRequest) throws -> Values
}

/// An engine that keeps a history of its saves.
package protocol HistoryEngine: StoreEngine {
  associatedtype History: HistoryRows

  /// Transactions with their changes, as they come from the store.
  func history(_ request: HistoryRequest) throws -> History

  /// The number of the latest transaction, removed transactions included, 0 before the first; `nil` if the store keeps no history.
  func lastTransaction() throws -> Int64?

  /// The number of the earliest transaction that is still there; `nil` if there is none.
  func firstTransaction() throws -> Int64?

  /// The greatest number of a transaction that was removed while earlier ones stayed; `nil` if there is none.
  ///
  /// Numbers of transactions may have other gaps, so the engine notes it with the removal. ``firstTransaction()`` tells of the others.
  func historyGap() throws -> Int64?

  /// Removes transactions with their changes, all in one transaction of the store. Their numbers are never used again.
  func deleteHistory(_ request: HistoryRequest) throws

  /// Removes the transactions with these numbers, with their changes, all in one transaction of the store.
  func deleteHistory(transactions: [Int64]) throws

  /// Removes the oldest transactions, up to the first that is not before a moment or that a reader needs, all in one transaction of the store.
  func pruneHistory(before date: Date) throws

  /// Keeps the transactions after a number from ``pruneHistory(before:)`` for a reader, until the reader names another number.
  ///
  /// - Parameter number: `nil` forgets the reader.
  /// - Returns: `false` if the engine keeps no readers.
  func keepHistory(after number: Int64?, for reader: String) throws -> Bool
}

extension HistoryEngine {
  package func pruneHistory(before date: Date) throws {
    var request = HistoryRequest()
    request.before = date
    try deleteHistory(request)
  }

  package func keepHistory(after number: Int64?, for reader: String) throws -> Bool { false }
}
