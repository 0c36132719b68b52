/// A change of many rows, which a save carries out without loading them.
package enum BatchChange: Sendable, Hashable {
  /// Deletes the rows, and applies the delete rules of their relationships: cascade, nullify and deny.
  case delete(BatchSelection)
  /// Sets attributes of the rows. All values are computed from the rows as they were before.
  case update(BatchSelection, [BatchAssignment])
  /// Deletes all rows of these entities, without rows of other subentities, and applies no delete rule. The rows of other entities
  /// give up the deleted rows.
  case empty([String])

  /// An entity whose rows change, for errors.
  package var entityName: String? {
    switch self {
    case .delete(let selection), .update(let selection, _): selection.entityName
    case .empty(let names): names.first
    }
  }
}

/// A deletion by a predicate, in a form that only the engine itself understands.
package protocol DeletionRequest: Sendable {}

/// The rows of a batch change.
package struct BatchSelection: Sendable, Hashable {
  package var entityName: String
  package var includesSubentities: Bool
  /// `nil` for every row.
  package var predicate: FetchExpression?

  package init(entityName: String, includesSubentities: Bool = true, predicate: FetchExpression? = nil) {
    self.entityName = entityName
    self.includesSubentities = includesSubentities
    self.predicate = predicate
  }

  package var request: FetchRequest {
    FetchRequest(entityName: entityName, includesSubentities: includesSubentities, predicate: predicate)
  }
}

/// A new value for one column of an attribute.
package struct BatchAssignment: Sendable, Hashable {
  /// The attribute's name.
  package var attribute: String
  /// The names of a composite's elements, from the outermost in.
  package var element: [String]
  package var value: FetchExpression
  /// The condition without which the value cannot be computed, such as a result beyond 64 bits; `nil` for none.
  package var requirement: FetchExpression?

  package init(attribute: String, element: [String] = [], value: FetchExpression, requirement: FetchExpression? = nil) {
    self.attribute = attribute
    self.element = element
    self.value = value
    self.requirement = requirement
  }
}

/// The reason why an engine does not carry out a batch change: the objects decide, and phrase the error if there is one.
///
/// The save has written nothing. The framework then loads the objects, changes each of them, and saves again.
package enum BatchRefusal: Error, Sendable, Hashable {
  /// The delete rule of a relationship denies the deletion of a row.
  case denied(entity: String, relationship: String)
  /// The deletion of a row would leave too few objects in a relationship.
  case required(entity: String, relationship: String)
  /// A new value cannot be computed for a row.
  case incomputable(entity: String, attribute: String)
  /// Two rows would have the same unique values, perhaps only until all rows are written.
  case notUnique(entity: String)
  /// The engine has no statement for the change.
  case unsupported(entity: String, property: String)
}
