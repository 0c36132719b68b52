internal import Observation

/// Represents an object of an entity that the container lacks; it has no properties, and its `isDeleted` is `true`.
///
/// So a program that asks for its class gets `nil`, never an object of an unrelated class.
final class UnknownModel: PersistentModel, _PersistentModelRoot {
  var _$state = _ModelState()

  init(_$blank: _ModelPlace) { _$state._take(_$blank) }

  convenience init(_ identifier: PersistentIdentifier) {
    self.init(_$blank: _ModelPlace(status: .orphaned))
    let identity = TemporaryIdentity(entityName: identifier.entityName)
    identity.permanent = identifier.permanent
    _$state.needExtras().temporaryIdentity = identity
  }

  static var schemaMetadata: [Schema.PropertyMetadata] { [] }
  static var _$entity: _EntityOptions { _EntityOptions() }

  func _$read(from row: inout _RowReader) {}
  func _$write(_ property: Int, into row: inout _RowWriter) throws {}
  func _$visit<Visitor: _PropertyVisitor>(_ property: Int, _ visitor: inout Visitor) {}
}
