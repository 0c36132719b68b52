package import CoreDataStore
import ErrorReporting
package import Foundation
import ManagedModel
package import PostgreSQLStore
import StoreRequests

/// Copies a Core Data store into a database and back, row by row, with its model, its identifier and its keys.
package enum StoreTransfer {
  /// Copies one state of a store into a new store in a database, in one transaction of the server.
  ///
  /// History, metadata of programs and tables of no entity stay behind, and the report tells it. An attribute that the model derives
  /// becomes a stored one with the same values, since the server does not derive it.
  /// - Parameters:
  ///   - address: the database; see `ServerAddress`.
  ///   - isLenient: whether to accept an object without a required value, and a date that the server cannot keep, which becomes
  ///     infinite. Some real stores have both.
  ///   - progress: called for each row; its error ends the copy, and the database is as it was.
  /// - Throws: ``TransferError`` for a value that the server cannot keep; ``StoreProblem`` if the schema has tables; `PostgreSQLError`,
  ///   ``StoreError``.
  package static func copy(
    _ store: PersistentStore, toServer address: String, options: ServerOptions, isLenient: Bool = false,
    progress: @escaping () throws -> Void = {}
  ) throws -> TransferReport {
    var report = TransferReport()
    let identifier = UUID(uuidString: store.identifier) ?? UUID()
    try store.readSnapshot { snapshot in
      report.others = try snapshot.otherContents().map { "left out: \($0)" }
      let model = try snapshot.keepingBytes(store.model.inferringContents())
      report.waived = try ServerStore.make(
        address, options: options, model: model, identifier: identifier, isLenient: isLenient
      ) { load in
        var transfer = RowTransfer(from: snapshot, to: load, progress: progress)
        try transfer.run()
        let others = report.others
        report = transfer.report
        report.others = others
      }
    }
    return report
  }

  /// Copies one state of a store in a database into a new Core Data store. The new store appears at its place when it is complete.
  ///
  /// - Parameters:
  ///   - replaces: whether a store at the place is replaced.
  ///   - progress: called for each row; its error ends the copy, and the place is as it was.
  /// - Throws: ``TransferError``, ``StoreProblem``, ``StoreCopyError``, ``StoreError``, `PostgreSQLError`.
  package static func copy(
    fromServer address: String, options: ServerOptions, to place: URL, replaces: Bool = false,
    progress: @escaping () throws -> Void = {}
  ) throws -> (report: TransferReport, file: StoreCopy.Report) {
    try ServerStore.readSnapshot(address, options: options) { snapshot, model, identifier in
      var report = TransferReport()
      let others = try snapshot.otherContents().map { "left out: \($0)" }
      let file = try StoreCopy.make(at: place, replaces: replaces, model: model, identifier: identifier) { load in
        var transfer = RowTransfer(from: snapshot, to: load, progress: progress)
        try transfer.run()
        report = transfer.report
      }
      report.others = others
      return (report, file)
    }
  }
}
