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
  private var steps: [PropertyPlace: LinkSteps] = [:]

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
    fileprivate(set) var value: Value
    /// Whether the property differed from its row already.
    let wasChanged: Bool
  }

  enum Value {
    case attribute(any _PropertyStorage)
    case destination((any PersistentModel)?)
    /// The foreign key of a destination that is not loaded.
    case key(ObjectKey)
    /// The members of a to-many relationship.
    case members(MembersBefore)
    /// A to-many relationship that is not loaded.
    case unloadedMembers
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

  /// Whether a property was added with its value; an unloaded to-many relationship was not.
  func hasValue(of object: any PersistentModel, at index: Int) -> Bool {
    knownProperties.contains(PropertyPlace(object: ObjectIdentifier(object), index: index))
  }

  /// Adds a property, unless it was added before.
  ///
  /// A to-many relationship that was not loaded then is added again when it is. Undoing starts with the later entry;
  /// the changes between the two have entries of the other objects.
  func add(_ object: any PersistentModel, _ index: Int, _ value: Value) {
    let place = PropertyPlace(object: ObjectIdentifier(object), index: index)
    guard !knownProperties.contains(place) else { return }
    let property = Property(object: object, index: index, value: value, wasChanged: object._$state.isChanged(index))
    if case .unloadedMembers = property.value {
      guard unloadedProperties.insert(place).inserted else { return }
    } else {
      knownProperties.insert(place)
    }
    properties.append(property)
  }

  /// Adds a change of what a recorded relationship records about a member.
  func add(_ step: LinkStep) {
    let place = PropertyPlace(object: ObjectIdentifier(step.owner), index: step.property)
    guard knownProperties.contains(place) || unloadedProperties.contains(place) else { return }
    steps[place, default: LinkSteps()].add(step)
  }

  /// What the action did to the links of a relationship.
  func steps(of property: Property) -> LinkSteps {
    steps[PropertyPlace(object: ObjectIdentifier(property.object), index: property.index)] ?? LinkSteps()
  }

  /// Keeps the differences of the members only; called at the end of the action.
  func reduceMembers() {
    for place in properties.indices {
      guard case .members(var before) = properties[place].value else { continue }
      var reader = LinkReader()
      properties[place].object._$visit(properties[place].index, &reader)
      guard case .objects(let now) = reader.content else { continue }
      before.reduce(to: now)
      properties[place].value = .members(before)
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
