import ManagedModel

/// The document of `--diff OLD NEW --json`.
struct DifferenceDocument: Encodable {
  let formatVersion = 1
  let old: String
  let new: String
  /// `none`, `lightweight` or `custom`: the strongest migration that any change needs.
  let migration: String
  /// The mapping model between the versions, which says how rows change.
  let mappingModel: String?
  let changes: [Change]

  struct Change: Encodable {
    let entity: String
    let property: String?
    /// The kind of change in one word, such as `propertyAdded`.
    let kind: String
    /// The change in words.
    let description: String
    let migration: String
    /// The reason why the mapping cannot be inferred.
    let obstacle: String?
  }

  init(_ difference: ModelDifference, from old: String, to new: String, mapping: String? = nil) {
    self.old = old
    self.new = new
    mappingModel = mapping
    let isLight = difference.isLightweight && mapping == nil
    migration = !difference.needsMigration ? "none" : isLight ? "lightweight" : "custom"
    changes = difference.changes.map { change in
      let migration =
        switch change.migration {
        case .none: "none"
        case .lightweight: "lightweight"
        case .custom: "custom"
        }
      // A case's name is the text before its associated values.
      let kind = String("\(change.kind)".prefix { $0.isLetter })
      return Change(
        entity: change.entity, property: change.property, kind: kind, description: change.phrase,
        migration: migration, obstacle: change.obstacle?.description)
    }
  }
}
