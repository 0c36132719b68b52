import ManagedModel
import SQLite
import StoreRequests

extension TombstoneElements {
  /// The value that history keeps of an attribute, in the form of a newer version. It is converted as that of a row; one that does not fit
  /// goes.
  ///
  /// - Parameters:
  ///   - old: the attribute in the older version.
  ///   - column: the column with the value in the form of the older version.
  static func migrated(_ attribute: AttributeLayout, from old: AttributeLayout, in column: Identifier) -> String {
    let oldPaths = paths(of: old)
    let formers = attribute.columns.map { column in
      attribute.description.formerPath(of: column.path, in: old.description).flatMap { path in
        old.columns.firstIndex { $0.path == path }
      }
    }
    let keptPaths = formers.map { $0.map { oldPaths[$0] } }
    let payloads = attribute.columns.map { attribute.description.formerPayload(of: $0.path, in: old.description) }
    let conversions = zip(attribute.columns, formers).map { column, former in
      former.map { old.columns[$0].attribute.type.conversion(to: column.attribute.type) }
    }
    if payloads.allSatisfy({ $0 == nil }), conversions.allSatisfy({ $0??.keepsAll == true }),
      (attribute.columns.count > 1) == (old.columns.count > 1),
      keptPaths == paths(of: attribute).map(Optional.some), attribute.columns.count == old.columns.count
    {
      return column.description
    }
    let values = keptPaths.indices.map { index in
      guard let path = keptPaths[index] else { return "NULL" }
      let value =
        old.columns.count == 1 ? column.description : "\(elementFunction)(\(column), \(Identifier.literal(path)))"
      if case .member(let label)? = payloads[index] {
        return PayloadMembers.sql(label, of: value, as: attribute.columns[index].attribute)
      }
      return conversions[index].flatMap { $0?.fitting(value) } ?? "NULL"
    }
    return "CASE WHEN \(column) IS NOT NULL THEN \(value(of: attribute, values)) END"
  }
}
