internal import ManagedModel
internal import StoreRequests

/// A model class bound to the entity of an open store that keeps its objects; made once per container.
final class EntityBinding: Sendable {
  /// The entity's name.
  let name: String
  let type: any PersistentModel.Type
  /// The numbers of the entity and its store; see ``EntityTag``.
  let tag: Int32
  /// The place of the entity's table among all tables of the container.
  let table: Int
  /// By property index.
  let properties: [PropertyBinding]
  /// The columns that `_$read` reads, in its order.
  let columns: [ColumnSelection]
  /// The number of result columns that they take.
  let width: Int
  /// Indexes of the properties that `_$read` reads, in its order.
  let readOrder: [Int]
  /// Indexes of the properties that have columns, ascending.
  let stored: [Int]
  /// Indexes of the relationships, ascending.
  let relationships: [Int]
  /// Indexes of the to-many relationships, ascending.
  let toMany: [Int]
  /// Indexes of the to-one relationships that have an inverse, ascending.
  let invertibleToOne: [Int]
  /// Indexes of the one-to-one relationships, ascending.
  let oneToOne: [Int]
  /// Indexes of the relationships whose number of objects a save checks, ascending.
  let bounded: [Int]
  /// Indexes of the attributes that have rules, ascending, with the rules.
  let rules: [(property: Int, rules: AttributeRules)]
  /// Indexes of the attributes whose values the store computes, ascending.
  let derived: [Int]
  /// Whether ``Materialization`` must be active while an object is made, so that initial values are not evaluated.
  let hasLazyDefaults: Bool
  /// Indexes of the persisted properties that already have a value in a blank object.
  private let preset: [Int]
  private let castObject: @Sendable (AnyObject) -> (any PersistentModel)?

  init(
    _ type: any PersistentModel.Type, name: String, tag: Int32, table: Int, properties: [PropertyBinding],
    columns: [ColumnSelection], width: Int
  ) {
    self.name = name
    self.type = type
    self.tag = tag
    self.table = table
    self.properties = properties
    self.columns = columns
    self.width = width
    stored = properties.indices.filter { properties[$0].hasColumns }
    relationships = properties.indices.filter { properties[$0].relationship != nil }
    toMany = properties.indices.filter { properties[$0].relationship?.isToMany == true }
    invertibleToOne = properties.indices.filter {
      properties[$0].relationship.map { !$0.isToMany && $0.inverse != nil } ?? false
    }
    oneToOne = invertibleToOne.filter { properties[$0].relationship?.isInverseToMany == false }
    bounded = properties.indices.filter { properties[$0].relationship?.isBounded == true }
    rules = ModelClass.of(type).properties.compactMap { property in
      AttributeRules(property).map { (property.index, $0) }
    }.sorted { $0.property < $1.property }
    readOrder = (stored + toMany).sorted()
    derived = ModelClass.of(type).properties.filter(\.isDerived).map(\.index).sorted()
    hasLazyDefaults = type._$entity.hasLazyDefaults
    let blank = Materialization.makeBlank(type)
    preset = readOrder.filter { property in
      var keeper = StorageKeeper()
      blank._$visit(property, &keeper)
      return keeper.storage?._isPending == false
    }
    castObject = Self.caster(type)
  }

  private static func caster<Model: PersistentModel>(
    _ type: Model.Type
  ) -> @Sendable (AnyObject) -> (any PersistentModel)? {
    { object in
      ObjectIdentifier(Swift.type(of: object)) == ObjectIdentifier(Model.self)
        ? unsafeDowncast(object, to: Model.self) : object as? any PersistentModel
    }
  }

  /// An object of the identity map as a model; skips the dynamic cast for objects of exactly this class.
  func model(_ object: AnyObject) -> (any PersistentModel)? { castObject(object) }

  /// The index of a property by its name in the store; a linear search.
  func index(of name: String) -> Int? { properties.firstIndex { $0.name == name } }

  /// An object without a row's values; it may have initial values that the class gives every object.
  func makeBlank(in place: _ModelPlace) -> any PersistentModel {
    Materialization.makeBlank(self.type, in: place)
  }

  /// A fault: an object without values; the first read of a property loads them.
  func makeFault(_ key: Int64, _ tag: Int32, in owner: ContextCore) -> any PersistentModel {
    let fault = makeBlank(in: _ModelPlace(owner: owner, entity: tag, status: .fault, key: key))
    var emptier = StorageEmptier()
    for property in preset { fault._$visit(property, &emptier) }
    return fault
  }
}

/// One property of a model class, as its store keeps it.
struct PropertyBinding: Sendable {
  /// The name in the store's model.
  let name: String
  /// The number of result columns that its value takes.
  let width: Int
  /// `nil` for an attribute.
  let relationship: RelationshipBinding?
  /// The class that declares the property; tells apart properties of sibling subclasses that have the same index.
  let declaringClass: ObjectIdentifier

  /// Whether the class's table has columns for it.
  var hasColumns: Bool { width > 0 }
}

/// One side of a relationship between model classes.
struct RelationshipBinding: Sendable {
  let description: RelationshipDescription
  /// The tag of the destination entity.
  let destination: Int32
  /// The inverse's property index, in the destination class and its subclasses.
  let inverse: Int?
  let isInverseToMany: Bool
  /// Which change of a change set writes the relationship.
  let storage: StoreRelationship.Storage

  var isToMany: Bool { description.isToMany }
  var deleteRule: RelationshipDescription.DeleteRule { description.deleteRule }

  /// Whether a save must check the number of objects.
  var isBounded: Bool {
    isToMany ? description.minimumCount > 0 || description.maximumCount > 1 : !description.isOptional
  }
}
