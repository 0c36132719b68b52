import ManagedModel
import SQLite

extension StoreLayout {
  private static let orderIndexOption = "NSRelationshipDescriptionOrderKeyIndexOption"

  /// The indexes of a join table by which an ordered relationship's objects are found in order and a place among them is found,
  /// which the relationship's user info asks for (CD-4, as in the Photos library of 2025).
  ///
  /// What the option means for keys that stand in the objects' own rows, no store shows: these have no such indexes.
  func orderIndexes(of join: JoinTableLayout) -> [IndexLayout] {
    [
      (join.master, join.masterColumn, join.otherColumn, join.otherOrderColumn),
      (join.other, join.otherColumn, join.masterColumn, join.masterOrderColumn),
    ].flatMap { side, own, other, order -> [IndexLayout] in
      guard let order, asksForOrderIndexes(side) else { return [] }
      return [[own, other, order], [own, order, other]].map { columns in
        IndexLayout(
          kind: .join, name: Identifier(([join.name] + columns).map(\.name).joined(separator: "_") + "_INDEX"),
          table: join.name, elements: columns.map { "\($0)" })
      }
    }
  }

  private func asksForOrderIndexes(_ side: JoinTableLayout.Side) -> Bool {
    guard case .toMany(let relationship)? = entity(named: side.entityName)?.property(named: side.relationshipName),
      case .string(let choice)? = relationship.description.userInfo[StoreLayout.orderIndexOption]
    else { return false }
    return choice == "YES"
  }
}
