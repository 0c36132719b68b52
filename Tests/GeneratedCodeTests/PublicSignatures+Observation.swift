extension PublicSignatures {
  /// Apple's declarations of live results, and the macros.
  static let observation = """
    ResultsObserver:
      class ResultsObserver<Element, SectionTitle> where Element: PersistentModel, SectionTitle: Hashable
      init(fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), modelContainer: ModelContainer,
         isolation: isolated (any Actor)? = #isolation) throws where SectionTitle == Never
      init(fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), modelContext: ModelContext,
         isolation: isolated (any Actor)? = #isolation) throws where SectionTitle == Never
      init(fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), sectionBy: KeyPath<Element,
         String>, modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation) throws where
         SectionTitle == String
      init(fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), sectionBy: KeyPath<Element,
         String>, modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation) throws where
         SectionTitle == String
      init(fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), sectionBy: KeyPath<Element,
         String?>, modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation) throws where
         SectionTitle == String
      init(fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), sectionBy: KeyPath<Element,
         String?>, modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation) throws where
         SectionTitle == String
      init(filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, modelContainer:
         ModelContainer, isolation: isolated (any Actor)? = #isolation) throws where SectionTitle == Never
      init(filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, modelContext: ModelContext,
         isolation: isolated (any Actor)? = #isolation) throws where SectionTitle == Never
      init(filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, sectionBy: KeyPath<Element,
         String>, modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation) throws where
         SectionTitle == String
      init(filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, sectionBy: KeyPath<Element,
         String>, modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation) throws where
         SectionTitle == String
      init(filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, sectionBy: KeyPath<Element,
         String?>, modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation) throws where
         SectionTitle == String
      init(filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, sectionBy: KeyPath<Element,
         String?>, modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation) throws where
         SectionTitle == String
      func element(at: IndexPath) -> Element?
      func indexPath(for: Element) -> IndexPath?
      var fetchDescriptor: FetchDescriptor<Element> { get }
      var filterBy: Predicate<Element>? { get set }
      var modelContext: ModelContext { get }
      var results: FetchResultsCollection<Element> { get }
      var sections: SectionedResults<Element, SectionTitle>? { get set }
      var sortBy: [SortDescriptor<Element>] { get set }
    ResultsSection:
      struct ResultsSection<Element, SectionTitle> where Element: PersistentModel, SectionTitle: Hashable
      subscript(_: Int) -> Element { get }
      var id: SectionTitle { get }
      var title: SectionTitle { get }
    SectionedResults:
      struct SectionedResults<Element, SectionTitle> where Element: PersistentModel, SectionTitle: Hashable
      subscript(_: Int) -> ResultsSection<Element, SectionTitle> { get }
      subscript(sectionTitle: SectionTitle) -> ResultsSection<Element, SectionTitle>? { get }
      func contains(sectionTitle: SectionTitle) -> Bool
      func index(ofSectionTitled: SectionTitle) -> Int?
      var sectionTitles: [SectionTitle] { get }
    HistoryObserver:
      class HistoryObserver
      init(historyTokens: [String: any HistoryToken]? = nil, observedModels: [any PersistentModel.Type] = [],
         authors: Set<String> = [], modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation)
         throws
      var authors: Set<String> { get }
      var eventCounter: Int { get }
      var modelContainer: ModelContainer { get }
      var observedModels: [any PersistentModel.Type] { get }
    macros:
      @attached(member, names: named(modelExecutor), named(modelContainer), named(init)) @attached(extension,
         conformances: ModelActor) macro ModelActor()
      @attached(peer) macro Attribute(_: Schema.Attribute.Option..., originalName: String? = nil, hashModifier:
         String? = nil)
      @attached(peer) macro Relationship(_: Schema.Relationship.Option..., deleteRule: Schema.Relationship.DeleteRule
         = .nullify, minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: String? = nil, inverse:
         AnyKeyPath? = nil, hashModifier: String? = nil)
      @attached(peer) macro Transient()
      @freestanding(declaration) macro Index<T>(_: Schema.Index<T>.Types<T>...) where T: PersistentModel
      @freestanding(declaration) macro Index<T>(_: [PartialKeyPath<T>]...) where T: PersistentModel
      @freestanding(declaration) macro Unique<T>(_: [PartialKeyPath<T>]...) where T: PersistentModel
    """
}
