internal import CoreDataStore

/// Makes objects of the rows of a query, or brings registered ones up to date.
///
/// A fault is filled; a clean object is read again if the row is newer (`Z_OPT`); one with changes keeps what it has.
///
/// Of rows that have only some of their properties faults are made, which have values: whatever needs all of an object, or changes
/// it, loads a fault before, and so loads these too. Nothing is ever written from half a row.
struct RowMaterializer {
  private let core: ContextCore
  private let store: OpenStore
  private let plan: RowPlan
  private let cursor: RowCursor

  /// - Parameter cursor: rows whose columns are those of the plan, before the first of them.
  init(_ cursor: RowCursor, _ plan: RowPlan, _ store: OpenStore, _ core: ContextCore) {
    self.core = core
    self.store = store
    self.plan = plan
    self.cursor = cursor
  }

  /// Gives the object of each row that a class stands for, and the class's binding, while the cursor is at the row.
  ///
  /// What rows of one entity share is found once for a run of them; in most results that is all rows. It stands in constants of the
  /// inner loop, and goes to functions as arguments: so only the new object is retained and released, which count for much here.
  /// The one who is given an object owns it, and may keep it without retaining it once more.
  func forEach(_ body: (consuming AnyObject, EntityBinding) -> Void) throws {
    let (cursor, core) = (cursor, core)
    let isUniform = cursor.soleEntity != nil
    let isPart = plan.places != nil
    var row = _RowReader(cursor.reader(), places: plan.places)
    var outdated: [any PersistentModel] = []
    var isAtRow = try cursor.next()
    while isAtRow {
      let entity = cursor.entity
      guard let (binding, start) = plan.start(entity) else {
        isAtRow = try cursor.next()
        continue
      }
      let table = core.identityMap.table(binding.table)
      // Changed for each row instead of made for it, which would retain the context meanwhile.
      var place = _ModelPlace(
        owner: core, entity: EntityTag.make(store: store.index, entity: entity), status: isPart ? .fault : .clean)
      let firstColumn = cursor.firstSelected + start
      let type = binding.type
      let hasLazyDefaults = binding.hasLazyDefaults
      repeat {
        row.start(at: firstColumn)
        let key = cursor.key
        if key == 0 {
          core.reportKeyZero(binding)
          isAtRow = try cursor.next()
          continue
        }
        let found = table.find(key)
        if let known = found.object, isKept(known, binding, cursor.version, &row, &outdated) {
          body(known, binding)
        } else {
          place.key = key
          place.version = cursor.version
          body(Self.make(type, in: place, hasLazyDefaults, table, found.vacancy, &row), binding)
        }
        isAtRow = try cursor.next()
      } while isAtRow && (isUniform || cursor.entity == entity)
    }
    core.reread(outdated)
  }

  /// Brings a registered object up to date; says whether it is that of the row, and not one of another class that leaves its key.
  private func isKept(
    _ known: AnyObject, _ binding: EntityBinding, _ version: Int64, _ row: inout _RowReader,
    _ outdated: inout [any PersistentModel]
  ) -> Bool {
    guard let object = binding.model(known) else { return true }
    guard Swift.type(of: object) == binding.type else { return !core.leaves(object, itsRowTo: binding) }
    if plan.places == nil {
      Self.refresh(object, version, &row)
    } else if !Self.refreshPart(of: object, version, &row) {
      outdated.append(object)
    }
    return true
  }

  private static func make<Model: PersistentModel>(
    _ type: Model.Type, in place: _ModelPlace, _ hasLazyDefaults: Bool, _ table: KeyTable, _ vacancy: KeyTable.Vacancy,
    _ row: inout _RowReader
  ) -> AnyObject {
    let object = hasLazyDefaults ? Materialization.makeBlank(type, in: place) : type.init(_$blank: place)
    // Before it is read: should reading it run code that asks for the same row, that finds this object.
    table.insert(object, for: place.key, at: vacancy)
    row.emptiesOthers = true
    object._$read(from: &row)
    return object
  }

  private static func refresh(_ object: any PersistentModel, _ version: Int64, _ row: inout _RowReader) {
    switch object._$state.status {
    case .fault where object._$state.version == 0 || object._$state.version == version:
      object._$read(from: &row)
      object._$state.version = version
      object._$state.status = .clean
    case .fault,
      .clean where object._$state.version != version:
      notifyingAll(object) { $0._$read(from: &row) }
      object._$state.version = version
      object._$state.status = .clean
    case .changed where object._$state.isUnread, .deleted where object._$state.isUnread:
      complete(object, version, &row)
    case .clean, .changed, .deleted, .detached, .inserted, .orphaned: break
    }
  }

  /// Reads what a row has of an object that is not loaded; one that is loaded has all of it.
  ///
  /// - Returns: whether the object has none but the row's values; otherwise it is to be read anew as a whole.
  private static func refreshPart(
    of object: any PersistentModel, _ version: Int64, _ row: inout _RowReader
  ) -> Bool {
    switch object._$state.status {
    case .fault where object._$state.version == 0 || object._$state.version == version:
      row.emptiesOthers = false
      object._$read(from: &row)
      object._$state.version = version
      return true
    case .fault, .clean: return object._$state.version == version
    case .changed, .deleted, .detached, .inserted, .orphaned: return true
    }
  }

  /// Reads what an object has that was changed before it could be read; the changes stay.
  private static func complete(_ object: any PersistentModel, _ version: Int64, _ row: inout _RowReader) {
    func storage(_ property: Int) -> (any _PropertyStorage)? {
      var keeper = StorageKeeper()
      object._$visit(property, &keeper)
      return keeper.storage
    }
    let changes = object._$state.changedProperties.map { (property: $0, storage: storage($0)) }
    notifyingAll(object) { object in
      object._$read(from: &row)
      for (property, changed) in changes {
        object._$state.extras?.originals[property] = storage(property)
        guard let changed else { continue }
        var putter = StoragePutter(storage: changed)
        object._$visit(property, &putter)
      }
    }
    object._$state.version = version
    object._$state.isUnread = false
  }
}
