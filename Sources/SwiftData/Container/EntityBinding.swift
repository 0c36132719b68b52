internal import CoreDataStore
internal import ManagedModel

/// A model class and the entity of an open store that keeps its objects; made once per container.
final class EntityBinding: Sendable {
  /// The entity's name.
  let name: String
  let type: any PersistentModel.Type
  /// Entity and store as one number; see ``EntityTag``.
  let tag: Int32
  /// The place of the entity's table among all tables of the container.
  let table: Int
  /// By property index.
  let properties: [PropertyBinding]
  /// Everything `_$read` takes, in its order.
  let columns: [ColumnSelection]
  /// How many result columns they take.
  let width: Int
  /// Indexes of the properties that `_$read` takes, in its order.
  let readOrder: [Int]
  /// Indexes of the properties that have columns, ascending.
  let stored: [Int]
  /// Indexes of the relationships, ascending.
  let relationships: [Int]
  /// Indexes of the to-many relationships, ascending.
  let toMany: [Int]
  /// Indexes of the relationships whose number of objects is bound, ascending.
  let bounded: [Int]
  /// Indexes of the attributes that have rules, ascending, with the rules.
  let rules: [(property: Int, rules: AttributeRules)]
  /// Indexes of the attributes whose values the store makes, ascending.
  let derived: [Int]
  /// What the identifiers of objects that are exactly of this entity share.
  let reference: EntityReference
  /// Whether ``Materialization`` has to be active while an object is made.
  let hasLazyDefaults: Bool
  /// Indexes of the persistent properties that an object has a value of as soon as it is made.
  private let preset: [Int]
  private let castObject: @Sendable (AnyObject) -> (any PersistentModel)?

  init(
    _ type: any PersistentModel.Type, name: String, tag: Int32, table: Int, properties: [PropertyBinding],
    columns: [ColumnSelection], width: Int, reference: EntityReference
  ) {
    self.name = name
    self.type = type
    self.tag = tag
    self.table = table
    self.properties = properties
    self.columns = columns
    self.width = width
    self.reference = reference
    stored = properties.indices.filter { properties[$0].hasColumns }
    relationships = properties.indices.filter { properties[$0].relationship != nil }
    toMany = properties.indices.filter { properties[$0].relationship?.isToMany == true }
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

  /// An object of the map as a model; without a dynamic cast where it is exactly of this class.
  func model(_ object: AnyObject) -> (any PersistentModel)? { castObject(object) }

  /// The index of a property by its name in the store; a linear search.
  func index(of name: String) -> Int? { properties.firstIndex { $0.name == name } }

  /// An object whose values are at most those that the class gives every new one.
  func makeBlank(in place: _ModelPlace) -> any PersistentModel {
    Materialization.makeBlank(self.type, in: place)
  }

  /// An object without values, which reading any of them loads.
  func makeFault(_ key: Int64, _ tag: Int32, in owner: ContextCore) -> any PersistentModel {
    let fault = makeBlank(in: _ModelPlace(owner: owner, entity: tag, status: .fault, key: key))
    var emptier = StorageEmptier()
    for property in preset { fault._$visit(property, &emptier) }
    return fault
  }
}

/// One property of a model class as its store has it.
struct PropertyBinding: Sendable {
  /// The name in the store's model.
  let name: String
  /// How many result columns its value takes.
  let width: Int
  /// `nil` for an attribute.
  let relationship: RelationshipBinding?
  /// The class that declares the property. Sibling subclasses have different properties at one index: this tells them apart.
  let declaringClass: ObjectIdentifier

  /// Whether rows of the class's table have values of it.
  var hasColumns: Bool { width > 0 }
}

/// One side of a relationship between model classes.
struct RelationshipBinding: Sendable {
  let description: RelationshipDescription
  /// Tag of the destination entity.
  let destination: Int32
  /// The inverse's property index, in the destination class and its subclasses.
  let inverse: Int?
  let isInverseToMany: Bool
  /// How the store keeps a to-many relationship.
  let storage: Storage

  enum Storage: Sendable {
    /// The key of this to-one relationship, or of its to-one inverse.
    case key
    /// Rows, or keys, that no property of either class stands for; written through this side.
    case listed
    /// The same, written through the other side.
    case listedByInverse
    /// The same, of a relationship that is its own inverse.
    case reflexive

    var isListed: Bool { self == .listed || self == .reflexive }
  }

  var isToMany: Bool { description.isToMany }
  var deleteRule: RelationshipDescription.DeleteRule { description.deleteRule }

  /// Whether a save has to look at the number of objects.
  var isBounded: Bool {
    isToMany ? description.minimumCount > 0 || description.maximumCount > 1 : !description.isOptional
  }
}

/// The number of an entity in its store, and of the store in its container, in 32 bits.
///
/// In the container's first store, which usually is the only one, a tag is the store's `Z_ENT` (CD-1.2).
enum EntityTag {
  static let storeBits: Int32 = 16

  static func make(store: Int, entity: Int32) -> Int32 { Int32(store) << storeBits | entity & 0xFFFF }
  static func store(_ tag: Int32) -> Int { Int(tag >> storeBits) }
  static func entity(_ tag: Int32) -> Int32 { tag & 0xFFFF }
  /// The tag of an entity in the store that another entity is in.
  static func make(entity: Int32, besides other: Int32) -> Int32 { other & ~0xFFFF | entity & 0xFFFF }
}

extension _ModelState {
  /// The object's row as its own store numbers entities.
  var rowKey: ObjectKey? { key == 0 ? nil : ObjectKey(entity: EntityTag.entity(entity), key: key) }
}
