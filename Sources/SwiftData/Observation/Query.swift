internal import Foundation

/// The live results of a fetch as a property of any type: the storage behind `@Query`. Apple: `Query`.
///
///     struct Report {
///       @Query(filter: #Predicate<Book> { $0.isRead }, sort: \Book.title) var books: [Book]
///     }
///     withModelContainer(container) { print(Report().books.count) }
///
/// The property equals a fresh fetch whenever it is read, and costs a fetch only where ``ResultsObserver`` does. What other containers
/// and processes save arrives with a fetch of the context, or by itself 20 milliseconds later. Reads are tracked by Observation. An initializer replaces the query by assigning the storage:
///
///     init(author: String) { _books = Query(filter: #Predicate { $0.author?.name == author }, sort: \.title) }
///
/// The context is the one given with `modelContext`, or comes from the scope of ``withModelContainer(_:operation:)`` in which the
/// query was made or is first read. With neither, the property is empty and ``fetchError`` is ``SwiftDataError/missingModelContext``.
/// A query is used where its context is used.
///
/// `@Query` is a macro, as in Apple's framework. A property wrapper cannot take its place: for `@Query var books: [Book]` the compiler
/// does not infer the class of a wrapper without arguments. So the attribute stands on properties, not on local variables, and a
/// private query makes the initializer private that the compiler writes for a structure, as any private stored property does.
public struct Query<Element: PersistentModel, Result> {
  private let state: QueryState<Element, Result>

  init(
    _ descriptor: FetchDescriptor<Element>, _ context: ModelContext?, empty: Result,
    open: @escaping (FetchDescriptor<Element>, ModelContext) throws -> LiveQueryResult<Result>
  ) {
    state = QueryState(descriptor, context, empty: empty, open: open)
  }

  /// The results now; empty if they cannot be fetched, see ``fetchError``.
  public var wrappedValue: Result { state.result?.value() ?? state.empty }

  /// The error of the last fetch; `nil` if it succeeded. Apple: `Query.fetchError`.
  public var fetchError: (any Error)? { state.result?.error() ?? state.openingError }

  /// The context that the results belong to. Apple: `Query.modelContext`.
  ///
  /// Without a container, a context that has no store: its fetches and saves throw.
  public var modelContext: ModelContext { state.modelContext }

  /// Fetches again; an error goes to ``fetchError``. Apple: `Query.update()`.
  public func update() { state.result?.update() }
}

/// Live results of a query as closures, whatever the type of the sections.
struct LiveQueryResult<Result> {
  let value: () -> Result
  let error: () -> (any Error)?
  let update: () -> Void

  init<Model, Title>(
    _ observer: ResultsObserver<Model, Title>, value: @escaping (ResultsObserver<Model, Title>) -> Result
  ) {
    self.value = { value(observer) }
    error = { observer.fetchError }
    update = { try? observer.refresh() }
  }
}

/// A query's context and results, made when they are first needed and shared by copies of the query.
private final class QueryState<Element: PersistentModel, Result> {
  let empty: Result
  private(set) var openingError: (any Error)?
  private let descriptor: FetchDescriptor<Element>
  private let open: (FetchDescriptor<Element>, ModelContext) throws -> LiveQueryResult<Result>
  private let scope: ModelScope?
  private var context: ModelContext?
  private var opened: LiveQueryResult<Result>?
  /// Made for a query without a container.
  private lazy var contextWithoutStores = ModelContext(
    ModelContainer(core: ContainerCore(schema: Schema(), stores: []), migrationPlan: nil), isolation: nil)

  init(
    _ descriptor: FetchDescriptor<Element>, _ context: ModelContext?, empty: Result,
    open: @escaping (FetchDescriptor<Element>, ModelContext) throws -> LiveQueryResult<Result>
  ) {
    self.descriptor = descriptor
    self.context = context
    self.empty = empty
    self.open = open
    scope = context == nil ? ModelScope.current : nil
  }

  private var knownContext: ModelContext? {
    if let context { return context }
    context = (scope ?? ModelScope.current)?.context()
    return context
  }

  var modelContext: ModelContext { knownContext ?? contextWithoutStores }

  /// The results; `nil` if they cannot be fetched.
  var result: LiveQueryResult<Result>? {
    if let opened { return opened }
    do {
      guard let context = knownContext else {
        throw SwiftDataError(
          .missingModelContext,
          "A query of \(Element.self) has no context: read it inside of withModelContainer(_:), or give it a modelContext."
        )
      }
      let made = try open(descriptor, context)
      opened = made
      openingError = nil
      return made
    } catch {
      openingError = error
      return nil
    }
  }
}

/// A type that a query's property can have; expansions of `@Query` find the class of the objects by it.
public protocol _QueryResult {
  /// The class of the objects.
  associatedtype _QueryElement: PersistentModel
}

extension Array: _QueryResult where Element: PersistentModel {
  /// The class of the objects.
  public typealias _QueryElement = Element
}

extension SectionedResults: _QueryResult {
  /// The class of the objects.
  public typealias _QueryElement = Element
}
