package import Foundation
package import SQLite

/// Binds one row's values to a statement's parameters, in order; concrete and without boxing (the hot path of a save).
package struct RowBinder: ~Copyable {
  private let statement: Statement
  private var index: Int32

  package init(_ statement: Statement, startingAt index: Int32) {
    self.statement = statement
    self.index = index
  }
}
