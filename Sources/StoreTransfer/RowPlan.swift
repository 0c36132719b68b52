import StoreRequests

/// The columns to read of the rows of a hierarchy; for each entity, the columns that its rows use.
struct RowPlan {
  /// Rows of all entities of the hierarchy, in the order of their keys.
  let request: FetchRequest
  /// By the number of the entity.
  private(set) var columns: [Int32: Columns] = [:]
  /// The to-one relationships of the hierarchy, each with the entity that declares it.
  private(set) var toOne: [(entity: StoreEntity, relationship: StoreRelationship)] = []

  struct Column {
    let property: StoreProperty
    let declaringEntity: String
    /// The result column of its first value.
    let first: Int
  }

  /// The columns of one entity.
  final class Columns {
    let all: [Column]
    let selections: [ColumnSelection]
    /// The values of each property among the values of a row.
    let places: [String: Range<Int>]

    init(_ all: [Column], of entity: StoreEntity) {
      self.all = all
      selections = all.map { ColumnSelection(entityName: entity.name, propertyName: $0.property.name) }
      var places: [String: Range<Int>] = [:]
      var next = 0
      for column in all {
        places[column.property.name] = next..<next + column.property.width
        next += column.property.width
      }
      self.places = places
    }
  }

  init(_ root: StoreEntity, _ entities: EntityTable) {
    var request = FetchRequest(entityName: root.name, sortTerms: [SortTerm(expression: .object(FetchPath()))])
    let kinds = root.kindNumbers.compactMap { entities.entity(numbered: $0) }
      .sorted { ($0.lineage.count, $0.number) < ($1.lineage.count, $1.number) }
    var known: [String: [String: Column]] = [:]
    var next = 0
    for kind in kinds {
      var own = kind.lineage.dropLast().last.flatMap { known[$0] } ?? [:]
      var all: [Column] = []
      for property in kind.properties where property.width > 0 {
        if own[property.name] == nil {
          own[property.name] = Column(property: property, declaringEntity: kind.name, first: next)
          request.columns.append(ColumnSelection(entityName: kind.name, propertyName: property.name))
          next += property.width
          if case .toOne(let relationship) = property { toOne.append((kind, relationship)) }
        }
        if let column = own[property.name] { all.append(column) }
      }
      known[kind.name] = own
      columns[kind.number] = Columns(all, of: kind)
    }
    self.request = request
  }
}
