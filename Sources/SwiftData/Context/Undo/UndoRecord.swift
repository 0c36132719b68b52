internal import StoreRequests

/// The state of objects before the changes of one action.
final class UndoRecord {
  /// In the order of the first changes.
  private(set) var properties: [Property] = []
  private(set) var objects: [Object] = []
  /// The number of saves before the record.
  let saveCount: Int
  private var knownProperties: Set<PropertyPlace> = []
  private var unloadedProperties: Set<PropertyPlace> = []
  private var knownObjects: Set<ObjectIdentifier> = []

  /// The context's number of saves and merges before the record.
  let stateNumber: Int

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
    /// The unsaved changes of a to-many relationship after the action.
    fileprivate(set) var later: LinkChanges?

    /// The members before the action, but for what others have changed since: undo changes only what the action did.
    ///
    /// - Parameters:
    ///   - now: the present members.
    ///   - returned: objects that the action has deleted after it had changed their links.
    func members(
      _ members: [any PersistentModel], _ links: LinkChanges, now: [any PersistentModel],
      returned: Set<ObjectIdentifier>
    ) -> [any PersistentModel] {
      guard let later else { return members }
      let (former, current) = differingPlaces(members, now)
      let known = Set(members[former].map { ObjectIdentifier($0) })
      let present = Set(now[current].map { ObjectIdentifier($0) })
      return members[..<former.lowerBound]
        + members[former].filter { present.contains(ObjectIdentifier($0)) || later.isRemoved($0, since: links) }
        + now[current].filter {
          let member = ObjectIdentifier($0)
          return !known.contains(member) && !returned.contains(member) && !links.isRemoved($0, since: later)
        }
        + members[former.upperBound...]
    }
  }

  enum Value {
    case attribute(any _PropertyStorage)
    case destination((any PersistentModel)?)
    /// The foreign key of a destination that is not loaded.
    case key(ObjectKey)
    /// A to-many relationship: its members, and those of its changes that were unsaved.
    case members([any PersistentModel], LinkChanges)
    /// A to-many relationship that is not loaded: the unsaved changes of its members.
    case links(LinkChanges)
  }

  /// An object before it was first inserted or deleted.
  struct Object {
    let object: any PersistentModel
    /// Whether the object was in the context and not deleted.
    let wasPresent: Bool
  }

  private struct PropertyPlace: Hashable {
    let object: ObjectIdentifier
    let index: Int
  }

  /// Adds a property, unless it was added before.
  ///
  /// A to-many relationship that was not loaded then is added again when it is. Undoing starts with the later entry;
  /// the changes between the two have entries of the other objects.
  func add(_ object: any PersistentModel, _ index: Int, _ value: () -> Value) {
    let place = PropertyPlace(object: ObjectIdentifier(object), index: index)
    guard !knownProperties.contains(place) else { return }
    let property = Property(
      object: object, index: index, value: value(), wasChanged: object._$state.isChanged(index))
    if case .links = property.value {
      guard unloadedProperties.insert(place).inserted else { return }
    } else {
      knownProperties.insert(place)
    }
    properties.append(property)
  }

  /// Notes what has become of the members; called at the end of the action, and before a save forgets the unsaved changes.
  func noteLinks() {
    for place in properties.indices {
      guard case .members = properties[place].value else { continue }
      let extras = properties[place].object._$state.extras
      properties[place].later = extras?.links[properties[place].index] ?? LinkChanges()
    }
  }

  /// The objects that the action has deleted and of which it has changed a property.
  func deletedObjects(changedAt property: Int) -> Set<ObjectIdentifier> {
    let places = objects.filter(\.wasPresent).map {
      PropertyPlace(object: ObjectIdentifier($0.object), index: property)
    }
    return Set(places.filter { knownProperties.contains($0) || unloadedProperties.contains($0) }.map(\.object))
  }

  /// Adds an object, unless it was added before.
  func add(_ object: any PersistentModel, wasPresent: Bool) {
    guard knownObjects.insert(ObjectIdentifier(object)).inserted else { return }
    objects.append(Object(object: object, wasPresent: wasPresent))
  }
}
