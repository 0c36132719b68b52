import CoreDataStore

/// A rule of the check. Each is one line of a report, in this order.
///
/// The raw value is the rule's stable name in JSON.
package enum CheckRule: String, Sendable, CaseIterable {
  // CD-1: the file and the bookkeeping tables.
  case integrity, header
  case bookkeepingTables = "bookkeeping-tables"
  case plainDefinitions = "plain-definitions"
  case modelCache = "model-cache"
  case entityNumbers = "entity-numbers"
  case superentities
  case maxima
  case metadata
  case versionIdentifiers = "version-identifiers"
  case hashes, digest, checksum
  // CD-2, CD-3: tables.
  case entityTables = "entity-tables"
  case columns
  case columnOrder = "column-order"
  case compositeColumns = "composite-columns"
  case entityColumns = "entity-columns"
  case joinTables = "join-tables"
  case otherTables = "other-tables"
  case creationOrder = "creation-order"
  // CD-4: indexes.
  case keyIndexes = "key-indexes"
  case entityIndexes = "entity-indexes"
  case joinIndexes = "join-indexes"
  case fetchIndexes = "fetch-indexes"
  case uniqueIndexes = "unique-indexes"
  case locationIndexes = "location-indexes"
  case otherIndexes = "other-indexes"
  case uniqueValues = "unique-values"
  // CD-3, CD-6: rows and the rows they refer to.
  case rowEntities = "row-entities"
  case rowVersions = "row-versions"
  case keys
  case entityColumnValues = "entity-column-values"
  case oneToOne = "one-to-one"
  case orderKeys = "order-keys"
  case pairs
  case pairOrder = "pair-order"
  // CD-5: values.
  case booleans, integers, reals, dates, decimals, strings, uris, uuids, binaries, transformables
  case externalReferences = "external-references"
  case externalFiles = "external-files"
  case requiredValues = "required-values"
  case foreignValues = "foreign-values"
  // CD-8, CD-7: triggers and history.
  case triggerFunctions = "trigger-functions"
  case triggers
  case otherTriggers = "other-triggers"
  case derivedValues = "derived-values"
  case locationRows = "location-rows"
  case searchIndexes = "search-indexes"
  case historyTables = "history-tables"
  case historyIndexes = "history-indexes"
  case historyNumbers = "history-numbers"
  case historyRows = "history-rows"
  case changes, transactions, bitmaps, tombstones
  case lastChanges = "last-changes"
}

extension CheckRule {
  /// The fact of the format that the rule checks.
  package var fact: String { terms.fact }
  /// The state of a sound store.
  package var title: String { terms.title }
  /// The reason why a store may have nothing to check.
  package var absence: String { terms.absence }

  private var terms: (fact: String, title: String, absence: String) {
    switch self {
    case .integrity: ("CD-1.5", "the database is intact", "")
    case .header: ("CD-1.5", "file header and pragmas", "the store is in memory")
    case .bookkeepingTables: ("CD-1.1", "text of the bookkeeping tables", "")
    case .plainDefinitions: ("CD-1.1", "tables have no constraints of SQL's own", "")
    case .modelCache: ("CD-1.4", "the store carries its model", "there is no Z_MODELCACHE")
    case .entityNumbers: ("CD-1.2", "entities are numbered from 1, depth-first by name", "")
    case .superentities: ("CD-1.2", "Z_SUPER is the superentity's number", "")
    case .maxima: ("CD-1.2", "Z_MAX is no less than any key, and 0 for subentities", "")
    case .metadata: ("CD-1.3", "metadata: one row, keys and their types", "")
    case .versionIdentifiers: ("CD-1.3", "version identifiers are the model's", "not to be compared")
    case .hashes: ("VH-1", "version hashes are those of the model", "the metadata has no hashes")
    case .digest: ("VH-13", "digest of the hashes", "the metadata has none")
    case .checksum: ("VH-14", "checksum of the hashes", "the metadata has none")
    case .entityTables: ("CD-2", "a table for each root entity", "")
    case .columns: ("CD-2.1", "columns: names and types", "")
    case .columnOrder: ("CD-2.2", "columns: order and text", "")
    case .compositeColumns: ("CD-2.4", "composite attributes: a column for each element", "no composite attributes")
    case .entityColumns: ("CD-3.1", "entity columns of keys", "no keys to entities with subentities")
    case .joinTables: ("CD-3.3", "join tables", "no many-to-many relationships")
    case .otherTables: ("CD-2", "no other tables", "")
    case .creationOrder: ("CD-1.1", "order of creation", "only looked at in fresh stores")
    case .keyIndexes: ("CD-4", "indexes of keys", "no keys")
    case .entityIndexes: ("CD-4", "indexes of Z_ENT", "no entities with subentities")
    case .joinIndexes: ("CD-4", "indexes of join tables", "no join tables")
    case .fetchIndexes: ("CD-4", "fetch indexes", "none asked for")
    case .uniqueIndexes: ("CD-4", "indexes of uniqueness constraints", "no constraints")
    case .locationIndexes: ("CD-4", "location indexes", "none asked for")
    case .otherIndexes: ("CD-4", "no other indexes", "")
    case .uniqueValues: ("CD-4", "unique values occur once", "no constraints")
    case .rowEntities: ("CD-6", "rows are of concrete entities of their table", "")
    case .rowVersions: ("CD-6", "rows have a version (Z_OPT) from 1", "")
    case .keys: ("CD-3.1", "keys lead to rows of the right entity", "no relationships")
    case .entityColumnValues: ("CD-3.1", "entity columns agree with the rows", "no such columns")
    case .oneToOne: ("CD-3.1", "both sides of one-to-one relationships agree", "no such relationships")
    case .orderKeys: ("CD-3.4", "order keys: set with the key, one of a kind", "no ordered relationships")
    case .pairs: ("CD-3.3", "pairs lead to rows of the right entities", "no join tables")
    case .pairOrder: ("CD-3.4", "order keys of pairs: set, one of a kind", "no ordered many-to-many relationships")
    case .booleans: ("CD-5", "Booleans are 0 or 1", "no such values")
    case .integers: ("CD-5", "integers are integers", "no such values")
    case .reals: ("CD-5", "floating-point numbers are real", "no such values")
    case .dates: ("CD-5", "dates are numbers", "no such values")
    case .decimals: ("CD-5", "decimals are numbers", "no such values")
    case .strings: ("CD-5", "strings are text", "no such values")
    case .uris: ("CD-5", "URIs are text", "no such values")
    case .uuids: ("CD-5", "UUIDs are 16 bytes", "no such values")
    case .binaries: ("CD-5", "binary data is bytes", "no such values")
    case .transformables: ("CD-5", "transformed values are bytes", "no such values")
    case .externalReferences: ("CD-5", "external storage: a known prefix", "no such values")
    case .externalFiles: ("CD-5", "files of external storage", "no external storage")
    case .requiredValues: ("CD-5", "required properties have values", "none required")
    case .foreignValues: ("CD-2", "no values in other entities' columns", "no subentities with properties")
    case .triggerFunctions: ("CD-8", "triggers call known functions only", "no triggers")
    case .triggers: ("CD-8", "triggers that the model asks for", "none asked for")
    case .otherTriggers: ("CD-8", "no other triggers", "no triggers")
    case .derivedValues: ("CD-8", "derived values are up to date", "no derived attributes of related objects")
    case .locationRows: ("CD-4", "location indexes agree with the rows", "none asked for")
    case .searchIndexes: ("CD-8", "search indexes agree with the rows", "none")
    case .historyTables: ("CD-7", "history: tables", "no history")
    case .historyIndexes: ("CD-7", "history: indexes", "no history")
    case .historyNumbers: ("CD-1.2", "history: rows of Z_PRIMARYKEY", "no history")
    case .historyRows: ("CD-7", "history: Z_ENT and Z_OPT", "no history")
    case .changes: ("CD-7", "changes: kind, entity, key, transaction", "no changes")
    case .transactions: ("CD-7", "transactions: time and texts", "no transactions")
    case .bitmaps: ("CD-7", "changes: columns of updates", "no changes")
    case .tombstones: ("CD-7", "changes: values kept of deleted objects", "no values are kept")
    case .lastChanges: ("CD-7", "the last change of a row agrees with the row", "no changes")
    }
  }

  /// The repair for the findings of this rule; `nil` if data is lost, or if the repair depends on a closer look.
  package var repair: String? {
    switch self {
    case .maxima: "Set Z_MAX of the root entity to the largest Z_PK of its table, and of subentities to 0."
    case .superentities: "Set Z_SUPER to the number of the superentity in the model, 0 for a root."
    case .digest, .checksum: "Compute it from the hashes in the metadata; nothing is decided by it."
    case .versionIdentifiers: "Nothing has to be done: stores are matched by their hashes."
    case .rowVersions: "Set Z_OPT to 1."
    case .entityColumnValues: "Set the entity column to Z_ENT of the row the key leads to, or to NULL with the key."
    case .orderKeys, .pairOrder: "Number the objects of the owner anew: 2048, 3072, 4096 …"
    case .historyRows: "Set Z_ENT to the number of the history's table, and Z_OPT to NULL."
    case .historyNumbers: "Insert the missing rows, with Z_SUPER 0 and Z_MAX the largest Z_PK of their table."
    case .otherTriggers: "Drop it, unless an application needs it: it runs with every such write."
    case .otherTables, .otherIndexes: "Leave it, or drop it: nothing of Core Data's refers to it."
    case .derivedValues: "Compute them from the related objects; the next change of those does not put them right."
    case .locationRows: "Delete the index's rows and insert them again from the table."
    case .searchIndexes: "Make the index anew: makeSearchIndex(for:on:), or `store-tool doctor --repair`."
    case .foreignValues: "Set the column to NULL in rows of other entities; nothing reads it."
    default: nil
    }
  }
}

extension CheckRule {
  /// The rules with findings that ``StoreRepair`` can repair.
  package static let repairable: Set<CheckRule> = [
    .integrity, .modelCache, .entityNumbers, .superentities, .maxima, .digest, .checksum, .keyIndexes, .entityIndexes,
    .joinIndexes, .fetchIndexes, .uniqueIndexes, .locationIndexes, .rowVersions, .keys, .entityColumnValues, .oneToOne,
    .orderKeys, .pairs, .rowEntities, .pairOrder, .booleans, .foreignValues, .triggers, .derivedValues, .locationRows,
    .searchIndexes,
    .historyTables, .historyIndexes, .historyNumbers, .historyRows, .changes, .transactions,
  ]
}
