internal import CoreDataStore

/// Makes objects of the rows of a query, or brings registered ones up to date.
///
/// A fault is filled; a clean object is read again if the row is newer (`Z_OPT`); one with changes keeps what it has.
struct RowMaterializer: ~Copyable {
  private let core: ContextCore
  private let store: OpenStore
  private let plan: RowPlan
  private let cursor: RowCursor
  private var row: _RowReader
  /// The key of the row that the last object is of.
  private(set) var key: Int64 = 0

  // What rows of one entity share is looked up when the entity changes: in most results it never does.
  private var entity: Int32
  private var binding: EntityBinding?
  private var type: (any PersistentModel.Type)?
  private var hasLazyDefaults = false
  /// Held by the context's identity map.
  private unowned(unsafe) var table: KeyTable
  private var tag: Int32 = 0
  private var firstColumn = 0

  /// - Parameter cursor: rows whose columns are those of the plan.
  init(_ cursor: RowCursor, _ plan: RowPlan, _ store: OpenStore, _ core: ContextCore) {
    self.core = core
    self.store = store
    self.plan = plan
    self.cursor = cursor
    row = _RowReader(cursor.reader())
    table = core.identityMap.table(0)
    entity = 0
    if let sole = cursor.soleEntity { enter(sole) }
  }

  /// The object of the next row, of those that a class stands for; `nil` at the end.
  mutating func next() throws -> AnyObject? {
    while try cursor.next() {
      if cursor.soleEntity == nil, cursor.entity != entity { enter(cursor.entity) }
      guard let type else { continue }
      row.row.start(at: firstColumn)
      key = cursor.key
      let found = table.find(key)
      guard let known = found.object else { return make(type, found.vacancy) }
      if let object = binding?.model(known) { refresh(object) }
      return known
    }
    return nil
  }

  /// The same, as a model.
  mutating func nextModel() throws -> (any PersistentModel)? { try next().flatMap { binding?.model($0) } }

  private mutating func enter(_ entity: Int32) {
    self.entity = entity
    type = nil
    guard let (binding, start) = plan.start(entity) else { return }
    self.binding = binding
    type = binding.type
    hasLazyDefaults = binding.hasLazyDefaults
    table = core.identityMap.table(binding.table)
    tag = EntityTag.make(store: store.index, entity: entity)
    firstColumn = cursor.firstSelected + start
  }

  private mutating func make<Model: PersistentModel>(_ type: Model.Type, _ vacancy: KeyTable.Vacancy) -> AnyObject {
    let place = _ModelPlace(owner: core, entity: tag, status: .clean, key: key, version: cursor.version)
    let object = hasLazyDefaults ? Materialization.makeBlank(type, in: place) : type.init(_$blank: place)
    // Before it is read: should reading it run code that asks for the same row, that finds this object.
    table.insert(object, for: key, at: vacancy)
    object._$read(from: &row)
    return object
  }

  private mutating func refresh(_ object: any PersistentModel) {
    let version = cursor.version
    switch object._$state.status {
    case .fault:
      object._$read(from: &row)
      object._$state.version = version
      object._$state.status = .clean
    case .clean where object._$state.version != version:
      notifyingAll(object) { $0._$read(from: &row) }
      object._$state.version = version
    case .clean, .changed, .deleted, .detached, .inserted, .orphaned: break
    }
  }
}
