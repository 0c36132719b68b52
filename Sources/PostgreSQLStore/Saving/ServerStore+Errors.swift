import ErrorReporting
import ManagedModel
import PostgreSQL
import StoreRequests

// Errors of the server in the words of the model.
extension ServerStore {
  /// The refusal of a batch change that the server found invalid: the framework then changes each object, and phrases the error.
  func refusal(_ error: PostgreSQLError, _ changes: ChangeSet) -> BatchRefusal? {
    guard let entity = changes.batches.first?.selection.entityName else { return nil }
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
    guard let table = tables.first(where: { $0.name.name == error.table }) else {
      return error.state == .foreignKeyViolation ? phrasedPair(error) : error
    }
    switch error.state {
    case .some(.uniqueViolation):
      guard let constraint = table.uniqueConstraints.first(where: { $0.name.name == error.constraint }) else {
        return error
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

  /// The error of a pair of a join table, one of whose objects has no row.
  private func phrasedPair(_ error: PostgreSQLError) -> any Error {
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
    return error
  }

  /// The property that has a column.
  private func property(of column: ColumnLayout, in table: TableLayout) -> (entity: String, property: String)? {
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
