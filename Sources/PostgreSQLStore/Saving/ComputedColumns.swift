import Foundation
import PostgreSQL
import StoreRequests

/// The values that a save computes for derived attributes from other values of the same row.
struct ComputedColumns {
  /// The columns of the values.
  let columns: [ColumnLayout]
  private let origins: [Origin]
  private(set) var values: [ColumnValues]
  /// The time of the save, the same for all of its rows.
  private let now: [UInt8]

  private enum Origin {
    case now
    /// A value that the source binds, or a value that is computed before, with the function of it.
    case bound(Int, StringFunction?)
    case computed(Int, StringFunction?)
  }

  /// - Parameter places: the columns that the source of a row binds. A value whose column is not among them stays as it is.
  init(_ derivations: [RowDerivation], beside places: [ColumnLayout?]) {
    var columns: [ColumnLayout] = []
    var origins: [Origin] = []
    var rest = derivations
    // A value may depend on another computed value.
    while let index = rest.firstIndex(where: { Self.origin($0, places, columns) != nil }) {
      let derivation = rest.remove(at: index)
      guard let origin = Self.origin(derivation, places, columns) else { break }
      columns.append(derivation.column)
      origins.append(origin)
    }
    self.columns = columns
    self.origins = origins
    values = columns.map { ColumnValues($0.type) }
    var now: [UInt8] = []
    BinaryForm.append(BinaryForm.microseconds(Date().timeIntervalSinceReferenceDate) ?? 0, to: &now)
    self.now = now
  }

  private static func origin(
    _ derivation: RowDerivation, _ places: [ColumnLayout?], _ computed: [ColumnLayout]
  ) -> Origin? {
    var function: StringFunction?
    if case .function(let own, _) = derivation.source { function = own }
    guard let source = derivation.source.column else { return .now }
    if let index = places.firstIndex(where: { $0?.name == source.name }) { return .bound(index, function) }
    return computed.firstIndex { $0.name == source.name }.map { .computed($0, function) }
  }

  /// Adds the values of a row.
  ///
  /// - Parameter bound: the form of a value that the row's source has bound; `nil` for `NULL`.
  mutating func add(_ bound: (Int) -> ArraySlice<UInt8>?) {
    for (index, origin) in origins.enumerated() {
      let form: ArraySlice<UInt8>?
      switch origin {
      case .now: form = now[...]
      case .bound(let place, let function): form = Self.form(bound(place), function)
      case .computed(let place, let function): form = Self.form(values[place].last, function)
      }
      if let form { values[index].append { $0 += form } } else { values[index].appendNull() }
    }
  }

  private static func form(_ source: ArraySlice<UInt8>?, _ function: StringFunction?) -> ArraySlice<UInt8>? {
    guard let source, let function else { return source }
    return Array(function.result(ofText: String(decoding: source, as: UTF8.self)).utf8)[...]
  }
}
