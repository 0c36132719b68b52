public import Foundation

/// Makes a property the live results of a fetch; see the type ``Query``. Apple: `Query()`.
///
///     @Query var books: [Book]
///     @Query(filter: #Predicate<Book> { $0.isRead }, sort: \Book.title) var read: [Book]
///     @Query(sort: \Book.title, sectionBy: \Book.author?.name) var byAuthor: SectionedResults<Book, String>
///
/// The macro adds the stored property `_books`, a ``Query``, which an initializer may assign. It is as accessible as the property, but
/// at most internal. The initializer of ``Query`` decides which properties have an order. In a class with `@Observable`, write
/// `@Query @ObservationIgnored`, in this order.
@attached(accessor, names: named(get))
@attached(peer, names: prefixed(_))
public macro Query() =
  #externalMacro(module: "SwiftDataMacros", type: "QueryMacro")

/// Makes a property the live objects that a predicate selects, in an order.
@attached(accessor, names: named(get))
@attached(peer, names: prefixed(_))
public macro Query<Element: PersistentModel>(
  filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [], modelContext: ModelContext? = nil
) =
  #externalMacro(module: "SwiftDataMacros", type: "QueryMacro")

/// Makes a property the live objects of a descriptor.
@attached(accessor, names: named(get))
@attached(peer, names: prefixed(_))
public macro Query<Element: PersistentModel>(
  _ descriptor: FetchDescriptor<Element>, modelContext: ModelContext? = nil
) =
  #externalMacro(module: "SwiftDataMacros", type: "QueryMacro")

/// Makes a property the live objects that a predicate selects, in the order of a property.
@attached(accessor, names: named(get))
@attached(peer, names: prefixed(_))
public macro Query<Element: PersistentModel, Value>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>, order: SortOrder = .forward,
  modelContext: ModelContext? = nil
) =
  #externalMacro(module: "SwiftDataMacros", type: "QueryMacro")

/// Makes a property the live objects that a predicate selects, in the order of an optional property.
@attached(accessor, names: named(get))
@attached(peer, names: prefixed(_))
public macro Query<Element: PersistentModel, Value>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>, order: SortOrder = .forward,
  modelContext: ModelContext? = nil
) =
  #externalMacro(module: "SwiftDataMacros", type: "QueryMacro")

/// Makes a property the live objects that a predicate selects, in an order, in sections by a string.
@attached(accessor, names: named(get))
@attached(peer, names: prefixed(_))
public macro Query<Element: PersistentModel>(
  filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
  sectionBy: KeyPath<Element, String>, modelContext: ModelContext? = nil
) =
  #externalMacro(module: "SwiftDataMacros", type: "QueryMacro")

/// Makes a property the live objects of a descriptor, in sections by a string.
@attached(accessor, names: named(get))
@attached(peer, names: prefixed(_))
public macro Query<Element: PersistentModel>(
  _ descriptor: FetchDescriptor<Element>, sectionBy: KeyPath<Element, String>, modelContext: ModelContext? = nil
) =
  #externalMacro(module: "SwiftDataMacros", type: "QueryMacro")

/// Makes a property the live objects that a predicate selects, in the order of a property, in sections by a string.
@attached(accessor, names: named(get))
@attached(peer, names: prefixed(_))
public macro Query<Element: PersistentModel, Value>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>, order: SortOrder = .forward,
  sectionBy: KeyPath<Element, String>, modelContext: ModelContext? = nil
) =
  #externalMacro(module: "SwiftDataMacros", type: "QueryMacro")

/// Makes a property the live objects that a predicate selects, in the order of an optional property, in sections by a string.
@attached(accessor, names: named(get))
@attached(peer, names: prefixed(_))
public macro Query<Element: PersistentModel, Value>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>, order: SortOrder = .forward,
  sectionBy: KeyPath<Element, String>, modelContext: ModelContext? = nil
) =
  #externalMacro(module: "SwiftDataMacros", type: "QueryMacro")

/// Makes a property the live objects that a predicate selects, in an order, in sections by an optional string.
@attached(accessor, names: named(get))
@attached(peer, names: prefixed(_))
public macro Query<Element: PersistentModel>(
  filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
  sectionBy: KeyPath<Element, String?>, modelContext: ModelContext? = nil
) =
  #externalMacro(module: "SwiftDataMacros", type: "QueryMacro")

/// Makes a property the live objects of a descriptor, in sections by an optional string.
@attached(accessor, names: named(get))
@attached(peer, names: prefixed(_))
public macro Query<Element: PersistentModel>(
  _ descriptor: FetchDescriptor<Element>, sectionBy: KeyPath<Element, String?>, modelContext: ModelContext? = nil
) =
  #externalMacro(module: "SwiftDataMacros", type: "QueryMacro")

/// Makes a property the live objects that a predicate selects, in the order of a property, in sections by an optional string.
@attached(accessor, names: named(get))
@attached(peer, names: prefixed(_))
public macro Query<Element: PersistentModel, Value>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>, order: SortOrder = .forward,
  sectionBy: KeyPath<Element, String?>, modelContext: ModelContext? = nil
) =
  #externalMacro(module: "SwiftDataMacros", type: "QueryMacro")

/// Makes a property the live objects that a predicate selects, in the order of an optional property, in sections by an optional string.
@attached(accessor, names: named(get))
@attached(peer, names: prefixed(_))
public macro Query<Element: PersistentModel, Value>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>, order: SortOrder = .forward,
  sectionBy: KeyPath<Element, String?>, modelContext: ModelContext? = nil
) =
  #externalMacro(module: "SwiftDataMacros", type: "QueryMacro")

/// Makes a property the live objects that a predicate selects, in an order, in sections by a value. Not in Apple's framework.
@attached(accessor, names: named(get))
@attached(peer, names: prefixed(_))
public macro Query<Element: PersistentModel, Title: Hashable>(
  filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
  sectionBy: KeyPath<Element, Title>, modelContext: ModelContext? = nil
) =
  #externalMacro(module: "SwiftDataMacros", type: "QueryMacro")

/// Makes a property the live objects of a descriptor, in sections by a value. Not in Apple's framework.
@attached(accessor, names: named(get))
@attached(peer, names: prefixed(_))
public macro Query<Element: PersistentModel, Title: Hashable>(
  _ descriptor: FetchDescriptor<Element>, sectionBy: KeyPath<Element, Title>, modelContext: ModelContext? = nil
) =
  #externalMacro(module: "SwiftDataMacros", type: "QueryMacro")

/// Makes a property the live objects that a predicate selects, in the order of a property, in sections by a value. Not in Apple's framework.
@attached(accessor, names: named(get))
@attached(peer, names: prefixed(_))
public macro Query<Element: PersistentModel, Title: Hashable, Value>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>, order: SortOrder = .forward,
  sectionBy: KeyPath<Element, Title>, modelContext: ModelContext? = nil
) =
  #externalMacro(module: "SwiftDataMacros", type: "QueryMacro")

/// Makes a property the live objects that a predicate selects, in the order of an optional property, in sections by a
/// value. Not in Apple's framework.
@attached(accessor, names: named(get))
@attached(peer, names: prefixed(_))
public macro Query<Element: PersistentModel, Title: Hashable, Value>(
  filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>, order: SortOrder = .forward,
  sectionBy: KeyPath<Element, Title>, modelContext: ModelContext? = nil
) =
  #externalMacro(module: "SwiftDataMacros", type: "QueryMacro")
