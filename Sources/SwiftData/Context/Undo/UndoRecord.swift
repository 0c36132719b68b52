internal import StoreRequests

/// The state of objects before the changes of one action.
final class UndoRecord {
  /// In the order of the first changes.
  private(set) var properties: [Property] = []
  private(set) var objects: [Object] = []
  /// The number of saves before the record.
  let saveCount: Int
  /// The context's number of saves and merges before the record.
  let stateNumber: Int
  private var places: [PropertyPlace: Int] = [:]
  private var knownObjects: Set<ObjectIdentifier> = []

  init(saveCount: Int, stateNumber: Int) {
    self.saveCount = saveCount
    self.stateNumber = stateNumber
  }

  /// A property before its first change.
  struct Property {
    let object: any PersistentModel
    let index: Int
    let value: Value
    /// Whether the property differed from its row already.
    let wasChanged: Bool
    /// What the context gave a to-one relationship, see ``GivenLinks``.
    let given: (any PersistentModel)?
    /// What the action did to a to-many relationship.
    fileprivate(set) var members = MemberChanges()

    /// Whether it is a relationship to many.
    var isList: Bool { if case .members = value { true } else { false } }
  }

  enum Value {
    case attribute(any _PropertyStorage)
    case destination((any PersistentModel)?)
    /// The foreign key of a destination that is not loaded.
    case key(ObjectKey)
    /// An object that the action has deleted. The action did not change the property, but it reads as nil since the save.
    case deletedDestination(any PersistentModel)
    /// A to-many relationship; see ``Property/members``.
    case members
  }

  /// An object before it was first inserted or deleted.
  struct Object {
    let object: any PersistentModel
    /// Whether the object was in the context and not deleted.
    let wasPresent: Bool
    /// Whether the program has inserted the object again, which it had deleted and not saved.
    let isReturn: Bool
  }

  private struct PropertyPlace: Hashable {
    let object: ObjectIdentifier
    let index: Int
  }

  private func place(of object: any PersistentModel, at index: Int) -> Int? {
    places[PropertyPlace(object: ObjectIdentifier(object), index: index)]
  }

  /// Whether a property was added.
  func contains(_ object: any PersistentModel, at index: Int) -> Bool { place(of: object, at: index) != nil }

  /// Adds a property, unless it was added before.
  func add(_ object: any PersistentModel, _ index: Int, _ value: Value) {
    let place = PropertyPlace(object: ObjectIdentifier(object), index: index)
    guard places[place] == nil else { return }
    places[place] = properties.count
    properties.append(
      Property(
        object: object, index: index, value: value, wasChanged: object._$state.isChanged(index),
        given: object._$state.extras?.given.destination(at: index)))
  }

  /// Adds a change of what a recorded relationship records about a member.
  func add(_ step: LinkStep) {
    if let place = place(of: step.owner, at: step.property) { properties[place].members.add(step) }
  }

  /// Adds a change of a relationship's list.
  ///
  /// The action that recorded the relationship may have ended since, if an observer of the change has saved.
  func add(_ replacement: MemberReplacement, of object: any PersistentModel, at index: Int) {
    add(object, index, .members)
    if let place = place(of: object, at: index) { properties[place].members.add(replacement) }
  }

  /// Adds an object, unless it was added before.
  func add(_ object: any PersistentModel, wasPresent: Bool, isReturn: Bool = false) {
    guard knownObjects.insert(ObjectIdentifier(object)).inserted else { return }
    objects.append(Object(object: object, wasPresent: wasPresent, isReturn: isReturn))
  }

  /// The objects that the action has deleted.
  private(set) lazy var deletedObjects = Set(objects.filter(\.wasPresent).map { ObjectIdentifier($0.object) })

  /// The objects that the action has inserted.
  private(set) lazy var insertedObjects = Set(objects.filter { !$0.wasPresent }.map { ObjectIdentifier($0.object) })

  /// Ends the action: drops what only further changes need.
  func close() {
    places = [:]
    knownObjects = []
    for place in properties.indices { properties[place].members.close() }
  }
}
