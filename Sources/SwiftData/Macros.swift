@_exported public import Observation

/// Makes a class a persistent model: every stored `var` of it becomes a persisted property.
///
///     @Model final class Book {
///       @Attribute(.unique) var isbn: String
///       var title: String
///       @Relationship(deleteRule: .cascade, inverse: \Chapter.book) var chapters: [Chapter] = []
///       @Transient var isOpen = false
///       init(isbn: String, title: String) { self.isbn = isbn; self.title = title }
///     }
///
/// The class may be the subclass of another model. An attribute is of a type that a column holds (`String`, `Bool`, `Date`,
/// `Data`, `UUID`, `URL`, `Decimal` and the numbers), of an enumeration with such a raw value, or of another `Codable` type;
/// a relationship is of the type `M`, `M?`, `[M]` or `[M]?` for a model `M`. Apple: `Model()`.
@attached(
  member, conformances: Observable, PersistentModel, _PersistentModelRoot, Sendable,
  names: named(schemaMetadata), named(init), named(access), named(withMutation), named(_$state), named(_$entity),
  named(_$read), named(_$write), named(_$visit), named(_$base), named(_$propertyCount), named(_$ownMetadata),
  named(_$backingData), named(persistentBackingData))
@attached(memberAttribute)
@attached(extension, conformances: Observable, PersistentModel, _PersistentModelRoot, Sendable)
public macro Model() = #externalMacro(module: "SwiftDataMacros", type: "PersistentModelMacro")

/// Makes a class a persistent model and says of its entity what Core Data's models can say. Not in Apple's framework.
///
/// - Parameters:
///   - isAbstract: whether only subclasses have objects; part of the entity's version hash (VH-1).
///   - hashModifier: changes the entity's version hash, so that two versions of equal shape differ.
///   - originalName: the entity's name in the version before, where it was renamed.
///   - entityName: the entity's name where it is not the class's.
///   - className: the class's name in the store's model, where it is not the entity's.
///   - spotlightDisplayName: the expression whose value stands for an object in Spotlight; kept in the schema.
///   - userInfo: kept in the store's model.
@attached(
  member, conformances: Observable, PersistentModel, _PersistentModelRoot, Sendable,
  names: named(schemaMetadata), named(init), named(access), named(withMutation), named(_$state), named(_$entity),
  named(_$read), named(_$write), named(_$visit), named(_$base), named(_$propertyCount), named(_$ownMetadata),
  named(_$backingData), named(persistentBackingData))
@attached(memberAttribute)
@attached(extension, conformances: Observable, PersistentModel, _PersistentModelRoot, Sendable)
public macro Model(
  isAbstract: Bool = false, hashModifier: String? = nil, originalName: String? = nil, entityName: String? = nil,
  className: String? = nil, spotlightDisplayName: String? = nil, userInfo: [String: Schema.UserInfoValue] = [:]
) = #externalMacro(module: "SwiftDataMacros", type: "PersistentModelMacro")

/// Says how an attribute is stored.
///
/// - Parameters:
///   - options: see ``Schema/Attribute/Option``.
///   - originalName: the attribute's name in the version before, where it was renamed.
///   - hashModifier: changes the attribute's version hash, so that two versions of equal shape differ.
///
/// Apple: `Attribute(_:originalName:hashModifier:)`.
@attached(peer)
public macro Attribute(
  _ options: Schema.Attribute.Option..., originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "AttributePropertyMacro")

/// Says how an attribute is stored, and under which name where that is not the property's. Not in Apple's framework.
@attached(peer)
public macro Attribute(
  _ options: Schema.Attribute.Option..., name: String, originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "AttributePropertyMacro")

/// Says what a relationship is: its inverse, its delete rule, its bounds.
///
/// Write it on one side of a pair only: an `inverse` on both sides is a circular reference to the compiler.
/// - Parameters:
///   - options: see ``Schema/Relationship/Option``.
///   - deleteRule: what becomes of the destinations when the object is deleted.
///   - minimumModelCount: the smallest number of destinations that a save allows; part of the version hash (VH-6).
///   - maximumModelCount: the largest number; 0 for no bound.
///   - originalName: the relationship's name in the version before, where it was renamed.
///   - inverse: the key path of the other side.
///   - hashModifier: changes the relationship's version hash, so that two versions of equal shape differ.
///
/// Apple: `Relationship(_:deleteRule:minimumModelCount:maximumModelCount:originalName:inverse:hashModifier:)`.
@attached(peer)
public macro Relationship(
  _ options: Schema.Relationship.Option..., deleteRule: Schema.Relationship.DeleteRule = .nullify,
  minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil,
  hashModifier: String? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "RelationshipPropertyMacro")

/// Says what a relationship is, and its stored name where that is not the property's. Not in Apple's framework.
@attached(peer)
public macro Relationship(
  _ options: Schema.Relationship.Option..., deleteRule: Schema.Relationship.DeleteRule = .nullify,
  minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, name: String, originalName: String? = nil,
  inverse: AnyKeyPath? = nil, hashModifier: String? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "RelationshipPropertyMacro")

/// Makes a property the result of a fetch, as Core Data's fetched properties are; the property has the type `[M]` for a model
/// `M`, no value of its own, and no setter. Not in Apple's framework.
///
///     @FetchedProperty(predicate: "author == $FETCH_SOURCE AND year > 2000", limit: 10) var recent: [Book]
///
/// Each reading fetches anew; an object without a context, and a fetch that fails, give no objects.
/// - Parameters:
///   - predicate: which objects, in `NSPredicate`'s format; `$FETCH_SOURCE` is the object that has the property.
///   - sortBy: their order.
///   - limit: how many objects at most; 0 for all.
///   - isOptional: kept in the store's model, like the arguments that are not named here (see ``Schema/FetchRequest``).
///   - name: the name in the model, where that is not the property's.
///   - requestName: the name that the model gives to the request.
///   - userInfo: kept in the store's model.
@attached(accessor, names: named(get))
public macro FetchedProperty(
  predicate: String? = nil, sortBy: [Schema.FetchRequest.Sort] = [], limit: Int = 0, batchSize: Int = 0,
  includesSubentities: Bool = true,
  includesPropertyValues: Bool = true, includesPendingChanges: Bool = true, returnsObjectsAsFaults: Bool = true,
  returnsDistinctResults: Bool = false, result: Schema.FetchRequest.Result = .objects, isOptional: Bool = true,
  name: String? = nil, requestName: String = "fetchedPropertyFetchRequest",
  userInfo: [String: Schema.UserInfoValue] = [:]
) = #externalMacro(module: "SwiftDataMacros", type: "FetchedPropertyMacro")

/// Stores a structure, an attribute's type, as one column for each part. Each part has the options that it declares.
///
///     @Composite struct Place: Codable {
///       @Attribute(.length(1...80)) var city: String
///       var latitude: Double?
///     }
///
/// A part with raw values has a column of the raw value's type; a part whose type no column has by itself is JSON.
///
/// Without it a `Codable` structure is stored as Apple's SwiftData stores it: in an optional one every part is optional.
/// - Parameter name: the composite type's name in the model, where it is not the structure's.
///
/// Not in Apple's framework.
@attached(member, names: named(_$compositeName), named(_$elements))
@attached(extension, conformances: CompositeValue)
public macro Composite(_ name: String? = nil) =
  #externalMacro(module: "SwiftDataMacros", type: "CompositeMacro")

/// Keeps a property out of the store; it needs a default value. Apple: `Transient()`.
@attached(peer)
public macro Transient() = #externalMacro(module: "SwiftDataMacros", type: "TransientPropertyMacro")

/// Says which properties, alone or together, no two objects of a class may share; stands in the class.
///
///     #Unique<Book>([\.isbn], [\.title, \.year])
///
/// A new object with the unique values of another one takes its row at the save. Apple: `Unique(_:)`.
@freestanding(declaration)
public macro Unique<T: PersistentModel>(_ constraints: [PartialKeyPath<T>]...) =
  #externalMacro(module: "SwiftDataMacros", type: "UniqueConstraintsMacro")

/// Says which properties to index, alone or together; stands in the class.
///
///     #Index<Book>([\.title], [\.year, \.title])
///
/// Apple: `Index(_:)`.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: [PartialKeyPath<T>]...) =
  #externalMacro(module: "SwiftDataMacros", type: "IndexMacro")

/// Says which properties to index and how; stands in the class. Apple: `Index(_:)`.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: Schema.Index<T>.Types<T>...) =
  #externalMacro(module: "SwiftDataMacros", type: "IndexMacro")

/// Makes an actor the owner of a model context, whose work runs on a serial queue of its own.
///
///     @ModelActor actor Importer {
///       func importBook(_ title: String) throws -> PersistentIdentifier {
///         let book = Book(title: title)
///         modelContext.insert(book)
///         try modelContext.save()
///         return book.persistentModelID
///       }
///     }
///     let importer = Importer(modelContainer: container)
///
/// Adds ``ModelActor/modelContainer``, ``ModelActor/modelExecutor`` and `init(modelContainer:)`, each unless the actor
/// declares it. An actor with stored properties that have no initial value writes its own initializer, which sets both.
/// Apple: `ModelActor()`.
@attached(member, names: named(modelExecutor), named(modelContainer), named(init))
@attached(extension, conformances: ModelActor)
public macro ModelActor() = #externalMacro(module: "SwiftDataMacros", type: "ModelActorMacro")

/// Makes the storage and the accessors of a persisted property; attached by `@Model`, not by hand.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(_), prefixed(_$_))
public macro _PersistedProperty(index: Int, lazyDefault: Bool = false, storage: String = "") =
  #externalMacro(module: "SwiftDataMacros", type: "PersistedPropertyMacro")

/// Makes the accessors of a persisted property in a class whose source contains the expansion of Apple's macro.
///
/// The class has `_$backingData`. `@Model` attaches it in a class whose source names `_$backingData` or `_SwiftDataNoType`.
/// Apple: `_PersistedProperty()`.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_))
public macro _PersistedProperty() = #externalMacro(module: "SwiftDataMacros", type: "BackedPropertyMacro")

/// Makes the accessors of a transformable property in a class whose source contains the expansion of Apple's macro.
///
/// Apple: `_TransformablePersistedProperty()`.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_))
public macro _TransformablePersistedProperty() =
  #externalMacro(module: "SwiftDataMacros", type: "BackedTransformablePropertyMacro")
