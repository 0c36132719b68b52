import ManagedModel
import PostgreSQLStore
import StoreRequests

extension TransferSnapshot {
  /// A model for the rows in which an attribute has an array column only if each of its values comes back from one byte for byte.
  ///
  /// The name of a type in a file's model proves nothing: another program may archive arrays in another way, and a date may be more exact
  /// than the server's. Cost: one more reading of the rows of entities with arrays, until a value does not fit.
  func keepingBytes(_ model: ModelDescription) throws -> ModelDescription {
    var misfits: Set<[String]> = []
    for entity in model.entities {
      for case .attribute(let attribute) in entity.properties {
        guard case .array(let element)? = attribute.contents else { continue }
        if try !keepsValues(of: attribute.name, entity.name, element) { misfits.insert([entity.name, attribute.name]) }
      }
    }
    return model.mappingAttributes { attribute, entity in
      var attribute = attribute
      if misfits.contains([entity, attribute.name]) { attribute.contents = .archive }
      return attribute
    }
  }

  private func keepsValues(of attribute: String, _ entity: String, _ element: AttributeType) throws -> Bool {
    let columns = [ColumnSelection(entityName: entity, propertyName: attribute)]
    let rows = try rows(FetchRequest(entityName: entity, columns: columns))
    defer { rows.close() }
    while try rows.next() {
      if case .blob(let archive) = rows.value(0), !ArrayForm.keeps(archive, of: element) { return false }
    }
    return true
  }
}
