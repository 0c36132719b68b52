import ErrorReporting
import Foundation
import ManagedModel
import SQLite

extension StoreContents {
  /// Returns the layout of this store, from the store's model or, if it has none, from the given model.
  ///
  /// A given model may contain fewer entities than the store. Every entity of the given model must equal the store's
  /// entity. Delete rules, which no version hash contains, are those of the given model; the store's model is not written because of them.
  /// - Parameter entityNames: the entities of the given model that belong in this store, if not all do.
  /// - Throws: ``StoreError``
  func layout(given: ModelDescription?, entityNames: Set<String>? = nil, path: String?) throws -> StoreLayout {
    let stored = Result { try modelArchive.map(ModelCache.model) }
    if let given { try check(given, entityNames, against: try? stored.get(), path: path) }
    let model: ModelDescription
    switch stored {
    case .success(let cached?):
      model = given.map { cached.takingDeleteRules(of: $0, entityNames: entityNames) } ?? cached
    case .success(nil):
      guard let given else { throw StoreError(path: path, .noModel) }
      model = try whole(given, path: path)
    case .failure(let error):
      guard let given else { throw StoreError(path: path, .unreadableModel(reason: "\(error)")) }
      model = try whole(given, path: path)
    }
    do {
      let names = Set(metadata.hashes.hashes.keys)
      if model.entities.isEmpty, !names.isEmpty { throw LayoutError.noEntities }
      let isSubset = names.isStrictSubset(of: model.entities.map(\.name))
      let layout = try StoreLayout(
        model: model, entityNames: isSubset ? names : nil, catalogue: catalogue, numbers: primaryKeys.numbers)
      try checkTables(of: layout, path: path)
      return layout
    } catch let error as LayoutError {
      if let cause = error.ofMetadata(leavingOutPartOf: model) {
        throw StoreError(path: path, .unusableMetadata(cause))
      }
      throw StoreError(path: path, unusableModel: error)
    }
  }

  private func whole(_ given: ModelDescription, path: String?) throws -> ModelDescription {
    let known = Set(given.entities.map(\.name))
    let missing = metadata.hashes.hashes.keys.filter { !known.contains($0) }.sorted(by: codeUnitOrder)
    guard missing.isEmpty else { throw StoreError(path: path, .partialModel(missingEntities: missing)) }
    return given
  }

  /// Checks that the store has every entity of the given model, with the same hash.
  private func check(
    _ given: ModelDescription, _ entityNames: Set<String>?, against stored: ModelDescription?, path: String?
  ) throws {
    let wanted: VersionHashes
    do { wanted = try VersionHashes(given) } catch {
      throw StoreError(path: path, unusableModel: error)
    }
    let differing = wanted.hashes.keys.filter {
      entityNames?.contains($0) != false && metadata.hashes[$0] != wanted[$0]
    }.sorted(by: codeUnitOrder)
    guard !differing.isEmpty else { return }
    let changes = stored.map { ModelDifference(from: $0, to: given).changes.filter { $0.migration != .none } } ?? []
    let names = metadata.hashes.hashes.keys.sorted(by: codeUnitOrder)
    throw StoreError(
      path: path,
      .otherModel(
        differing.map { name in
          let reason: StoreError.EntityMismatch.Reason =
            metadata.hashes[name] == nil
            ? .notInStore(nearest: nearestName(to: name, in: names))
            : .differs(changes.filter { $0.entity == name })
          return StoreError.EntityMismatch(entity: name, reason: reason)
        }))
  }

  /// Checks that the store has every table and column of the layout; ignores all other tables and columns.
  private func checkTables(of layout: StoreLayout, path: String?) throws {
    func check(_ table: Identifier, _ columns: [Identifier]) throws {
      guard let found = catalogue.columns[table].map(Set.init) else {
        throw StoreError(path: path, .missingColumns(table: table.name, columns: []))
      }
      let missing = columns.filter { !found.contains($0) }
      guard missing.isEmpty else {
        throw StoreError(path: path, .missingColumns(table: table.name, columns: missing.map(\.name)))
      }
    }
    for table in layout.tables { try check(table.name, ["Z_PK", "Z_ENT", "Z_OPT"] + table.columns.map(\.name)) }
    for table in layout.joinTables {
      let order = [table.masterOrderColumn, table.otherOrderColumn].compactMap { $0 }
      try check(table.name, [table.masterColumn, table.otherColumn] + order)
    }
  }
}
