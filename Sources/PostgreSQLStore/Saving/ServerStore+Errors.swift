import ErrorReporting
import ManagedModel
import PostgreSQL
import StoreRequests

// Errors of the server in the words of the model.
extension ServerStore {
  /// The refusal of a batch change that the server found invalid: the framework then changes each object, and phrases the error.
  func refusal(_ error: PostgreSQLError, _ changes: ChangeSet) -> BatchRefusal? {
    guard let entity = changes.batches.first?.entityName else { return nil }
    switch error.state?.category {
    case "22": return .incomputable(entity: entity, attribute: "")
    case "23":
      return error.state == .uniqueViolation
        ? .notUnique(entity: entity) : .unsupported(entity: entity, property: "")
    default: return nil
    }
  }

  /// See ``StoreLayout/phrased(_:)``.
  func phrased(_ error: PostgreSQLError) -> any Error { layout.phrased(error) }
}

extension StoreLayout {
  /// The error with the entity and the properties of the violated constraint; the error itself if no constraint of the model is.
  func phrased(_ error: PostgreSQLError) -> any Error {
    if error.state == .programLimitExceeded { return phrasedLimit(error) }
    guard let table = table(named: error) else {
      return error.state == .foreignKeyViolation ? phrasedPair(error) ?? phrasedReference(error) : error
    }
    switch error.state {
    case .some(.uniqueViolation):
      guard let constraint = table.uniqueConstraints.first(where: { $0.name.name == error.constraint }) else {
        return error.advising(
          "if a program has inserted rows with keys of its own, let the next keys follow them: \(table.followingKeys); if somebody has added a uniqueness constraint, drop it, or change one of the two rows"
        )
      }
      return SaveError.notUnique(entity: constraint.entity.name, properties: constraint.properties)
    case .some(.notNullViolation), .some(.checkViolation):
      let column = table.columns.first {
        $0.name.name == error.column || table.checkName(of: $0.name).name == error.constraint
      }
      guard let column, let (entity, property) = property(of: column, in: table) else { return error }
      return StoreProblem(
        "property \(quoted(property)) of entity \(quoted(entity)) has no value, which its column requires — nothing was saved",
        remedy: "give it a value")
    case .some(.foreignKeyViolation):
      let key = table.columns.first { $0.reference?.constraint.name == error.constraint }
      guard let key, let (entity, property) = property(of: key, in: table) else { return error }
      return StoreProblem(
        "property \(quoted(property)) of an object of entity \(quoted(entity)) leads to an object that has no row, for example because it is deleted — nothing was saved",
        remedy: "let it lead to another object or to none, or delete that object, too")
    default: return error
    }
  }

  /// The error of a foreign key that is checked at once, so that no order of the statements satisfies it.
  func phrasedAtOnce(_ error: PostgreSQLError, _ constraint: (table: TableLayout, name: Identifier)) -> any Error {
    guard let known = phrased(error) as? StoreProblem else { return error }
    return StoreProblem(
      known.problem,
      remedy:
        "if that object is saved or deleted together with this one, let the constraint be checked at the end: ALTER TABLE \(constraint.table.sql) ALTER CONSTRAINT \(constraint.name) DEFERRABLE INITIALLY DEFERRED; else \(known.remedy ?? "fetch again, and repeat the change")"
    )
  }

  /// Whether the server names this store's schema, or none.
  private func concerns(_ error: PostgreSQLError) -> Bool { error.schema.map { Identifier($0) == schema } ?? true }

  /// The table that the server names.
  func table(named error: PostgreSQLError) -> TableLayout? {
    guard concerns(error) else { return nil }
    return tables.first { $0.name.name == error.table }
  }

  /// The error of a deletion that a foreign key of another program's table refuses.
  private func phrasedReference(_ error: PostgreSQLError) -> any Error {
    // The error names only the other table. Its message names both, ours first; at a commit, the statement names neither.
    let named = tables.compactMap { table in
      error.message.place(ofQuoted: table.name.name).map { (table: table, place: $0) }
    }
    let own = named.min { $0.place < $1.place }?.table ?? writtenTable(error)
    guard let own, let other = error.table, let constraint = error.constraint else { return error }
    return StoreProblem(
      "an object of entity \(quoted(own.root.name)) cannot be deleted: by the constraint \(quoted(constraint)), rows of the table \(quoted(other)) of another program lead to it — nothing was saved",
      remedy: "delete these rows first, or give the constraint ON DELETE CASCADE or SET NULL")
  }

  /// The error of a pair of a join table, one of whose objects has no row; `nil` for another table.
  private func phrasedPair(_ error: PostgreSQLError) -> (any Error)? {
    guard concerns(error) else { return nil }
    for entity in entities.entities {
      for case .toMany(let relationship) in entity.properties
      where relationship.declaringEntityName == entity.name && relationship.storage.isListed {
        guard case .joinTable(let side)? = (try? toMany(relationship.description.name, of: entity))?.storage,
          side.table.name.name == error.table
        else { continue }
        return StoreProblem(
          "relationship \(quoted(relationship.description.name)) of an object of entity \(quoted(entity.name)) leads to an object that has no row, for example because it is deleted, or the object itself has none — nothing was saved",
          remedy: "fetch again, and repeat the change")
      }
    }
    return nil
  }

  /// The property that has a column.
  func property(of column: ColumnLayout, in table: TableLayout) -> (entity: String, property: String)? {
    for entity in table.entities {
      for property in entity.properties {
        let names: [Identifier]
        switch try? self.property(property.name, of: entity) {
        case .attribute(let attribute): names = attribute.columns.map(\.name)
        case .toOne(let relationship): names = [relationship.key.name]
        case .toMany, nil: continue
        }
        if names.contains(column.name) { return (entity.name, property.name) }
      }
    }
    // A key without a property belongs to a relationship of another table's entity.
    for entity in entities.entities {
      for case .toMany(let relationship) in entity.properties {
        guard let storage = (try? toMany(relationship.description.name, of: entity))?.storage,
          case .key(let side) = storage, side.isVirtual, side.column == column.name,
          (try? entities.existingEntity(relationship.destinationName).hierarchy) == table.root.hierarchy
        else { continue }
        return (entity.name, relationship.description.name)
      }
    }
    return nil
  }
}

extension String {
  /// The first place of a name in quotation marks of any language, such as `"name"`, `»name«` and `« name »`.
  fileprivate func place(ofQuoted name: String) -> Index? {
    func isMark(_ scalar: Unicode.Scalar?) -> Bool { scalar?.properties.isQuotationMark == true }
    func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }
    return ranges(of: name).first { range in
      isMark(unicodeScalars[..<range.lowerBound].last { !isSpace($0) })
        && isMark(unicodeScalars[range.upperBound...].first { !isSpace($0) })
    }?.lowerBound
  }
}
