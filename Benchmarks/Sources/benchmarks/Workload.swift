import Foundation

/// A way of keeping objects that takes part in the comparison; the first one is the measure of the others.
enum Contestant: CaseIterable {
  case swiftData, grdb, grdbCodable, bareSQLite

  var title: String {
    switch self {
    case .swiftData: "SwiftData (this package)"
    case .grdb: "GRDB, hand-written records"
    case .grdbCodable: "GRDB, Codable records"
    case .bareSQLite: "bare SQLite"
    }
  }
}

/// Prepares something in an empty folder, and gives the work to be measured, which returns a checksum of what it read.
typealias Trial = (_ folder: URL) throws -> () throws -> Int

/// A piece of work that contestants do in the same run, a line of the table.
struct Workload {
  /// What the line is called on the command line.
  let name: String
  let title: String
  /// Of how many equal parts the work consists; the table has the time of one.
  let parts: Int
  let trials: [Contestant: Trial]

  init(
    _ name: String, _ title: String, parts: Int = 1, swiftData: @escaping Trial, grdb: @escaping Trial,
    codable: Trial? = nil, bareSQLite: Trial? = nil
  ) {
    self.name = name
    self.title = title
    self.parts = parts
    var trials: [Contestant: Trial] = [.swiftData: swiftData, .grdb: grdb]
    trials[.grdbCodable] = codable
    trials[.bareSQLite] = bareSQLite
    self.trials = trials
  }
}

extension Workload {
  /// Every line, in the table's order.
  static var all: [Workload] { players + library + sets + unique + large }
}
