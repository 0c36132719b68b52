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
  named(_$read), named(_$write), named(_$visit), named(_$base), named(_$propertyCount))
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
///   - userInfo: kept in the store's model.
@attached(
  member, conformances: Observable, PersistentModel, _PersistentModelRoot, Sendable,
  names: named(schemaMetadata), named(init), named(access), named(withMutation), named(_$state), named(_$entity),
  named(_$read), named(_$write), named(_$visit), named(_$base), named(_$propertyCount))
@attached(memberAttribute)
@attached(extension, conformances: Observable, PersistentModel, _PersistentModelRoot, Sendable)
public macro Model(
  isAbstract: Bool = false, hashModifier: String? = nil, originalName: String? = nil, entityName: String? = nil,
  userInfo: [String: String] = [:]
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

/// Makes the storage and the accessors of a persisted property; attached by `@Model`, not by hand.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_))
public macro _PersistedProperty(index: Int, lazyDefault: Bool = false, nonisolated: Bool = false) =
  #externalMacro(module: "SwiftDataMacros", type: "PersistedPropertyMacro")
