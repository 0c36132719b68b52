import ErrorReporting
import ManagedModel
import PostgreSQL
import StoreRequests

extension MigrationPlanner {
  /// Gives the changes in history the new names of entities and properties. Changes of removed entities go.
  mutating func addHistory() {
    let table = new.qualified(StoreDefinitions.changes)
    var cases: [String] = []
    var removed: [String] = []
    for entity in old.entities.entities where !entity.description.isAbstract {
      guard let destination = destination(of: entity) else {
        removed.append(entity.name)
        continue
      }
      renameProperties(of: entity, as: destination, table)
      if !destination.name.hasBytes(of: entity.name) {
        cases.append("WHEN \(sqlLiteral(entity.name)) THEN \(sqlLiteral(destination.name))")
      }
    }
    if !removed.isEmpty { run("DELETE FROM \(table) WHERE entity IN (\(sqlLiterals(removed)))") }
    if !cases.isEmpty {
      let names = old.entities.entities.map(\.name)
      run(
        "UPDATE \(table) SET entity = CASE entity \(cases.joined(separator: " ")) ELSE entity END WHERE entity IN (\(sqlLiterals(names)))"
      )
    }
  }

  private mutating func renameProperties(of entity: StoreEntity, as destination: StoreEntity, _ table: String) {
    let former = Dictionary(
      (properties[destination.name] ?? [:]).map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    let names = entity.properties.map(\.name)
    let gone = names.filter { former[$0] == nil }
    let renamed = names.filter { former[$0].map { [name = $0] new in !new.hasBytes(of: name) } ?? false }
    let keys = tombstoneKeys(of: entity, as: destination)
    let members = tombstoneMembers(of: entity, as: destination)
    let isChanged = keys.contains { $0.value?.hasBytes(of: $0.key) != true }
    guard isChanged || !gone.isEmpty || !renamed.isEmpty || !members.isEmpty else { return }
    let properties = NameChanges(gone: gone, renamed: renamed.map { ($0, former[$0] ?? $0) })
    let values = NameChanges(
      gone: keys.filter { $0.value == nil }.map(\.key),
      renamed: keys.compactMap { key, new in new.flatMap { $0.hasBytes(of: key) ? nil : (key, $0) } })
    let kept =
      "SELECT jsonb_object_agg(\(values.name("key")), value) FROM jsonb_each(tombstone) WHERE \(values.stays("key"))"
    let tombstone =
      members.isEmpty
      ? "(\(kept))"
      : "CASE WHEN tombstone IS NOT NULL THEN "
        + "nullif(coalesce((\(kept)), '{}') || \(members.joined(separator: " || ")), '{}') END"
    run(
      """
      UPDATE \(table) SET \
      properties = CASE WHEN properties IS NOT NULL THEN ARRAY(SELECT \(properties.name("p")) FROM unnest(properties) WITH ORDINALITY u(p, n) WHERE \(properties.stays("p")) ORDER BY n) END, \
      tombstone = \(tombstone) \
      WHERE entity = \(sqlLiteral(entity.name))
      """)
  }

  /// The keys of an old entity's values in tombstones, and what they become; `nil` for values that the new entity lacks.
  private func tombstoneKeys(of entity: StoreEntity, as destination: StoreEntity) -> [(key: String, value: String?)] {
    var new: [String: String] = [:]
    for case .attribute(let attribute) in destination.properties {
      guard let name = properties[destination.name]?[attribute.description.name],
        case .attribute(let former)? = entity.property(named: name)
      else { continue }
      for (leaf, key) in zip(attribute.leaves, attribute.tombstoneKeys) {
        let path = attribute.description.formerPath(of: leaf.path, in: former.description)
        if case .member? = attribute.description.formerPayload(of: leaf.path, in: former.description) { continue }
        guard let index = former.leaves.firstIndex(where: { $0.path == path }),
          TombstoneConversion(from: former.leaves[index].attribute.type, to: leaf.attribute.type) == nil
        else { continue }
        new[former.tombstoneKeys[index]] = key
      }
    }
    return entity.properties.flatMap { property -> [(key: String, value: String?)] in
      guard case .attribute(let attribute) = property else { return [] }
      return attribute.tombstoneKeys.map { ($0, new[$0]) }
    }
  }
}

extension MigrationPlanner {
  /// Objects with the values in tombstones that come from members of a payload, or get another type, as SQL.
  fileprivate func tombstoneMembers(of entity: StoreEntity, as destination: StoreEntity) -> [String] {
    var objects: [String] = []
    for case .attribute(let attribute) in destination.properties {
      guard let name = properties[destination.name]?[attribute.description.name],
        case .attribute(let former)? = entity.property(named: name)
      else { continue }
      for (leaf, key) in zip(attribute.leaves, attribute.tombstoneKeys) {
        let path = attribute.description.formerPath(of: leaf.path, in: former.description)
        guard let index = former.leaves.firstIndex(where: { $0.path == path }) else { continue }
        let present = "(tombstone -> \(sqlLiteral(former.tombstoneKeys[index])))"
        guard case .member(let label)? = attribute.description.formerPayload(of: leaf.path, in: former.description)
        else {
          let types = (former.leaves[index].attribute.type, leaf.attribute.type)
          if let value = TombstoneConversion(from: types.0, to: types.1)?.converted(present) {
            objects.append("jsonb_strip_nulls(jsonb_build_object(\(sqlLiteral(key)), \(value)))")
          }
          continue
        }
        let bytes = "\(present) ->> 'bytes'"
        let object = "convert_from(decode(\(bytes), 'base64'), 'UTF8')::jsonb"
        let value = PayloadMembers(label: label, attribute: leaf.attribute).tombstone(of: object)
        objects.append("jsonb_strip_nulls(jsonb_build_object(\(sqlLiteral(key)), \(value)))")
      }
    }
    return objects
  }
}

/// Names that change in a list, as SQL.
private struct NameChanges {
  let gone: [String]
  let renamed: [(old: String, new: String)]

  /// The new name of one in a column.
  func name(_ column: String) -> String {
    if renamed.isEmpty { return column }
    let cases = renamed.map { "WHEN \(sqlLiteral($0.old)) THEN \(sqlLiteral($0.new))" }
    return "CASE \(column) \(cases.joined(separator: " ")) ELSE \(column) END"
  }

  func stays(_ column: String) -> String { gone.isEmpty ? "true" : "\(column) NOT IN (\(sqlLiterals(gone)))" }
}
