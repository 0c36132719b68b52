public import Foundation
public import Observation

/// The results of a fetch, kept up to date while objects change. Apple: `ResultsObserver` (iOS 27).
///
///     let observer = try ResultsObserver(
///       filterBy: #Predicate<Book> { $0.isRead }, sortBy: [SortDescriptor(\.title)], modelContext: context)
///     for await difference in observer.differences { show(difference.changes) }
///
/// The results equal a fresh fetch whenever they are read. They follow unsaved changes of the context, and changes that
/// other contexts, containers and processes save. Changes of another container or process arrive a moment later. A
/// changed object is evaluated in memory and moved to its new place, which costs microseconds whatever the number of
/// results. The results are fetched again
/// - if a predicate or an order follows relationships to the changed object, so that other objects may be affected,
/// - if memory cannot evaluate the predicate,
/// - if the descriptor has a limit or an offset, or ignores unsaved changes,
/// - if several stores keep the class.
///
/// The observer belongs to the actor of its context; a context without an actor belongs to the observer's actor from then on. It is
/// `Observable`: ``results`` and ``sections`` change on the actor's next turn, without an actor at once.
public final class ResultsObserver<Element: PersistentModel, SectionTitle: Hashable>: Observable {
  let live: LiveResults<Element, SectionTitle>
  private let registrar = ObservationRegistrar()
  /// Whether a client has read a property since the last change, so that Observation may want to know of the next one.
  private var isObserved = false
  /// The place that has an update to do on its next turn. If the context moves to another place, the update never runs.
  private weak var updatingPlace: ContextIsolation?
  private let waker: ResultsWaker
  private var streams: [WeakStream] = []
  private var elements: [Element]?
  /// The sections of one state of the results, made once; their positions are found once, too.
  private var knownSections: (setCount: Int, sections: SectionedResults<Element, SectionTitle>?)?
  private var error: (any Error)?

  private struct WeakStream {
    weak var stream: ResultsStream<Element>?
  }

  /// The context whose objects are observed.
  public var modelContext: ModelContext { live.context }

  init(
    _ query: LiveQuery<Element, SectionTitle>, _ context: ModelContext, _ isolation: (any Actor)?
  ) throws {
    live = try LiveResults(query, context)
    waker = ResultsWaker(context.core)
    // The saves of other contexts then arrive there.
    if context.isolation == nil, let isolation { context.belong(to: isolation) }
    live.onChange = { [weak self] in self?.noteChange() }
    live.onUpdate = { [weak self] in self?.take($0) }
  }
}

// Results.
extension ResultsObserver {
  /// The results now, as a fetch would return them.
  ///
  /// Cost: the work for the changes since the last call. If that fails, the results do not change, and ``fetchError`` has the reason.
  public var results: FetchResultsCollection<Element> {
    update()
    return presentResults
  }

  /// The results of the last update.
  var presentResults: FetchResultsCollection<Element> {
    track(\.results)
    return FetchResultsCollection(live.list)
  }

  /// The results in sections; `nil` if the observer was made without `sectionBy`.
  public var sections: SectionedResults<Element, SectionTitle>? {
    update()
    track(\.sections)
    return presentSections
  }

  /// The error of the last update; `nil` if it succeeded. Not in Apple's framework.
  public var fetchError: (any Error)? {
    update()
    track(\.fetchError)
    return error
  }

  /// The results as an array, made once per change.
  var array: [Element] {
    update()
    track(\.results)
    if let elements { return elements }
    let made = Array(live.list)
    elements = made
    return made
  }

  /// The descriptor, as given and changed by ``filterBy`` and ``sortBy``.
  public var fetchDescriptor: FetchDescriptor<Element> { live.query.original }

  /// The predicate; setting it fetches again. An unsupported predicate has no effect but ``fetchError``.
  public var filterBy: Predicate<Element>? {
    get { live.query.original.predicate }
    set { replace { $0.predicate = newValue } }
  }

  /// The order; setting it fetches again. An unsupported order has no effect but ``fetchError``.
  public var sortBy: [SortDescriptor<Element>] {
    get { live.query.original.sortBy }
    set { replace { $0.sortBy = newValue } }
  }

  /// The key path of the section titles; `nil` without sections.
  public var sectionBy: PartialKeyPath<Element>? { live.query.sectioning?.keyPath }

  /// The element at an index path of section and item; without sections, the section is 0. `nil` if there is none.
  public func element(at indexPath: IndexPath) -> Element? {
    guard indexPath.count == 2, indexPath[0] >= 0, indexPath[1] >= 0 else { return nil }
    guard let sections else {
      // Asked for once, because others may save between two calls.
      let results = results
      return indexPath[0] == 0 && indexPath[1] < results.count ? results[indexPath[1]] : nil
    }
    guard indexPath[0] < sections.count, indexPath[1] < sections[indexPath[0]].count else { return nil }
    return sections[indexPath[0]][indexPath[1]]
  }

  /// The index path of section and item of an element; `nil` if it is not among the results.
  public func indexPath(for element: Element) -> IndexPath? {
    update()
    guard let position = live.position(of: element) else { return nil }
    track(\.sections)
    let place = presentSections?.place(of: position) ?? (section: 0, item: position)
    return IndexPath(indexes: [place.section, place.item])
  }

  private var presentSections: SectionedResults<Element, SectionTitle>? {
    if let knownSections, knownSections.setCount == live.setCount { return knownSections.sections }
    let sections = live.sections.map { SectionedResults(live.list, $0) }
    knownSections = (live.setCount, sections)
    return sections
  }

  /// Fetches again, for changes that arrive without notice: of a store of another type, or another process's at once. Not in
  /// Apple's framework.
  ///
  /// - Throws: ``SwiftDataError``; the results stay as they were.
  public func refresh() throws {
    live.noteFetch()
    update()
    if let error { throw error }
  }

  private func replace(_ change: (inout FetchDescriptor<Element>) -> Void) {
    var query = live.query
    change(&query.original)
    record { try live.replace(query) }
  }

  private func update() { record { try live.update() } }

  private func record(_ body: () throws -> Void) {
    do {
      try body()
      if error != nil { notify(\.fetchError) { error = nil } }
    } catch let problem {
      notify(\.fetchError) { error = problem }
    }
  }
}

// Observation.
extension ResultsObserver {
  private func track<Value>(_ keyPath: KeyPath<ResultsObserver, Value>) {
    isObserved = true
    registrar.access(self, keyPath: keyPath)
  }

  private func notify<Value>(_ keyPath: KeyPath<ResultsObserver, Value>, _ change: () -> Void) {
    registrar.withMutation(of: self, keyPath: keyPath, change)
  }

  /// Records that the results may have changed.
  private func noteChange() {
    // The list then has one owner while it changes, so that it is not copied.
    knownSections = nil
    waker.wake()
    guard isObserved else { return }
    guard let isolation = modelContext.isolation else { return announce() }
    guard updatingPlace !== isolation else { return }
    updatingPlace = isolation
    let observer = UpdatingResults(self)
    isolation.perform { _ in observer.results?.updateStreams() }
  }

  private func take(_ difference: ResultsDifference<Element>) {
    if difference.changesOrder { elements = nil }
    // An update may change the title of a section.
    if difference.changesOrder || live.sections != nil { announce() }
    for stream in streams { stream.stream?.add(difference) }
    if !streams.isEmpty { waker.wake() }
  }

  /// A new stream of differences, from now on.
  func makeStream() -> ResultsStream<Element> {
    update()
    streams.removeAll { $0.stream == nil }
    let stream = ResultsStream<Element>(waker)
    streams.append(WeakStream(stream: stream))
    return stream
  }

  /// Brings the streams up to date.
  func updateStreams() {
    updatingPlace = nil
    update()
  }

  /// Tells observers of the results.
  private func announce() {
    guard isObserved else { return }
    isObserved = false
    notify(\.results) {}
    notify(\.sections) {}
  }
}

extension ResultsObserver: ResultsUpdating {}
