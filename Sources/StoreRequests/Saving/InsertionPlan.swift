/// The plan for one insertion: its key, its version and its action.
package struct PlannedInsertion: Sendable {
  package let object: ObjectKey
  /// The row's version after the save.
  package let version: Int64
  package let action: Action

  package init(object: ObjectKey, version: Int64, action: Action) {
    self.object = object
    self.version = version
    self.action = action
  }

  package enum Action: Sendable {
    case insert
    /// The insertion overwrites a row that exists, or that an earlier insertion of the same save makes.
    ///
    /// `isCounted` tells that another change of this save already counts as the row's change.
    case overwrite(isCounted: Bool)
    /// The insertion writes nothing. Its object becomes the object of the row that has its unique values.
    case keep
  }

  /// The plan for an insertion if a row already has its unique values.
  ///
  /// - Parameter version: the version that the row would have after a change by the insertion.
  package init(
    merging object: ObjectKey, version: Int64, isCounted: Bool, _ duplicates: ChangeSet.DuplicatePolicy
  ) {
    if duplicates == .keep {
      self.init(object: object, version: isCounted ? version : version - 1, action: .keep)
    } else {
      self.init(object: object, version: version, action: .overwrite(isCounted: isCounted))
    }
  }
}

extension SaveResult {
  /// Notes the keys and versions of all insertions.
  package mutating func note(_ plan: [PlannedInsertion]) {
    inserted.reserveCapacity(inserted.count + plan.count)
    for (index, planned) in plan.enumerated() {
      inserted.append((planned.object, planned.version))
      switch planned.action {
      case .insert: break
      case .overwrite, .keep: merged.append((index, planned.object))
      }
    }
  }
}

/// The properties that insertions write over rows that exist, or that earlier insertions made.
///
/// So the save writes each property of a row once, with the last value. Earlier values cannot clash with other rows.
package struct Overwrites: Sendable {
  /// All properties that insertions write over a row.
  package private(set) var ofRows: [ObjectKey: [String]] = [:]
  /// The properties that later insertions write over an insertion's row, by the insertion's index.
  package private(set) var ofInsertions: [Int: [String]] = [:]

  package init() {}

  package init(_ plan: [PlannedInsertion], _ insertions: [ChangeSet.Insertion]) {
    for (index, planned) in plan.enumerated().reversed() {
      if let later = ofRows[planned.object] { ofInsertions[index] = later }
      guard case .overwrite = planned.action else { continue }
      let known = ofRows[planned.object] ?? []
      ofRows[planned.object] =
        known + insertions[index].columns.map(\.propertyName).filter { !known.contains($0) }
    }
  }

  /// Returns the columns of an insertion that no later insertion overwrites.
  package func lastingColumns(of insertion: ChangeSet.Insertion, _ index: Int) -> [ColumnSelection] {
    guard let later = ofInsertions[index] else { return insertion.columns }
    return insertion.columns.filter { !later.contains($0.propertyName) }
  }
}
