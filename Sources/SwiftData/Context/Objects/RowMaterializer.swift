internal import CoreDataStore
internal import StoreRequests

/// Makes objects of the rows of a query, and updates registered objects.
///
/// It fills faults, reads a clean object again if the row is newer, and leaves changed objects as they are.
///
/// Rows with only some properties become partly loaded faults. Code that needs a whole object, or changes it, first
/// fires the fault, which loads the other values. So nothing is ever written from a partial row.
struct RowMaterializer {
  private let core: ContextCore
  private let store: OpenStore
  private let plan: RowPlan
  private let rows: any ObjectRows
  /// Whether objects may have been read from newer states of the store.
  private let mayBeOlder: Bool
  /// Whether objects without changes that were read before keep their values, though the rows may be newer.
  private let keepsValues: Bool
  /// Whether objects that are read again are told of values that differ only.
  private let comparesValues: Bool

  /// - Parameter rows: rows with the plan's columns, positioned before the first row.
  init(
    _ rows: any ObjectRows, _ plan: RowPlan, _ store: OpenStore, _ core: ContextCore, mayBeOlder: Bool = false,
    keepsValues: Bool = false, comparesValues: Bool = false
  ) {
    self.core = core
    self.mayBeOlder = mayBeOlder
    self.keepsValues = keepsValues
    self.comparesValues = comparesValues
    self.store = store
    self.plan = plan
    self.rows = rows
  }

  /// Passes the object, the binding and the key of each row with a class to a closure, while the rows are at that row.
  ///
  /// The closure owns the object, and may keep it without another retain.
  func forEach(_ body: (consuming AnyObject, EntityBinding, Int64) -> Void) throws {
    // The switch between engines, once for all rows. The loop over Core Data's rows is compiled for them alone.
    if let cursor = rows as? RowCursor {
      try forEach(of: cursor, reader: reader(of: cursor), cursor.firstSelected, body)
    } else {
      try forEach(of: EngineRows(rows: rows), reader: reader, 0, body)
    }
  }

  /// Like ``forEach(_:)`` for at most a number of rows; the next call goes on after them.
  ///
  /// - Returns: whether rows may follow.
  func forEach(first count: Int, _ body: (consuming AnyObject, EntityBinding, Int64) -> Void) throws -> Bool {
    if let cursor = rows as? RowCursor {
      let first = FirstRows(cursor, count: count)
      try forEach(of: first, reader: reader(of: cursor), cursor.firstSelected, body)
      return !first.isAtEnd
    }
    let first = FirstRows(EngineRows(rows: rows), count: count)
    try forEach(of: first, reader: reader, 0, body)
    return !first.isAtEnd
  }

  private func reader(of cursor: RowCursor) -> _RowReader {
    _RowReader(
      cursor.reader(), places: plan.places,
      origin: ObjectRowOrigin(cursor, plan, store, firstSelected: cursor.firstSelected))
  }

  /// A reader of the rows of any engine.
  private var reader: _RowReader {
    _RowReader(RowReader(rows), places: plan.places, origin: ObjectRowOrigin(rows, plan, store, firstSelected: 0))
  }

  /// - Parameter firstSelected: the reader's number for the first selected column.
  ///
  /// Values that rows of one entity share are computed once for consecutive rows of the entity; most results have only
  /// one entity. They are constants of the inner loop and arguments of the functions it calls. So only the new object is
  /// retained and released, which matters for the speed here.
  private func forEach<Rows: RowLoop>(
    of rows: Rows, reader: consuming _RowReader, _ firstSelected: Int,
    _ body: (consuming AnyObject, EntityBinding, Int64) -> Void
  ) throws {
    let core = core
    let isUniform = rows.soleEntity != nil
    let isPart = plan.places != nil
    var row = reader
    var outdated: [any PersistentModel] = []
    var isAtRow = try rows.next()
    while isAtRow {
      let entity = rows.entity
      guard let (binding, start) = plan.start(entity) else {
        isAtRow = try rows.next()
        continue
      }
      let table = core.identityMap.table(binding.table)
      // Changed for each row; making it anew for each row would retain the context.
      var place = _ModelPlace(
        owner: core, entity: EntityTag.make(store: store.index, entity: entity), status: isPart ? .fault : .clean)
      let firstColumn = firstSelected + start
      let type = binding.type
      let hasLazyDefaults = binding.hasLazyDefaults
      let mayHavePartners = !binding.oneToOne.isEmpty && !core.unit.isEmpty
      repeat {
        row.start(at: firstColumn)
        let key = rows.key
        if key == 0 {
          core.reportKeyZero(binding)
          isAtRow = try rows.next()
          continue
        }
        let found = table.find(key)
        if let known = found.object, isKept(known, binding, rows.version, &row, &outdated) {
          body(known, binding, key)
        } else {
          place.key = key
          place.version = rows.version
          let made = Self.make(type, in: place, hasLazyDefaults, table, found.vacancy, &row)
          if mayHavePartners, let object = binding.model(made) { core.notePartners(of: object, binding) }
          body(made, binding, key)
        }
        isAtRow = try rows.next()
      } while isAtRow && (isUniform || rows.entity == entity)
    }
    core.reread(outdated)
    core.refreshStaleInverses()
  }

  /// Updates a registered object; returns `false` if its class is not the row's class, and it gives up the row's key.
  private func isKept(
    _ known: AnyObject, _ binding: EntityBinding, _ version: Int64, _ row: inout _RowReader,
    _ outdated: inout [any PersistentModel]
  ) -> Bool {
    guard let object = binding.model(known) else { return true }
    if mayBeOlder, object._$state.version > version { return true }
    guard Swift.type(of: object) == binding.type else { return !core.leaves(object, itsRowTo: binding) }
    if keepsValues, core.hasStoredValues(object) { return true }
    if plan.places == nil {
      refresh(object, binding, version, &row)
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
    // Registered before it is read: if reading runs code that asks for the same row, that code finds this object.
    table.insert(object, for: place.key, at: vacancy)
    row.emptiesOthers = true
    object._$read(from: &row)
    return object
  }

  private func refresh(
    _ object: any PersistentModel, _ binding: EntityBinding, _ version: Int64, _ row: inout _RowReader
  ) {
    switch object._$state.status {
    case .fault where object._$state.version == 0 || object._$state.version == version:
      object._$read(from: &row)
      object._$state.version = version
      object._$state.status = .clean
      core.notePartners(of: object, binding)
    case .fault,
      .clean where object._$state.version != version:
      let former = core.linkedRows(of: object, binding)
      if !comparesValues || !core.readsSameValues(of: object, binding, from: &row) {
        notifyingAll(object) { $0._$read(from: &row) }
      }
      core.noteMoves(of: object, binding, from: former)
      core.aliases.touch(object)
      object._$state.version = version
      object._$state.status = .clean
    case .changed where object._$state.isUnread || object._$state.version == -1:
      let former = core.linkedRows(of: object, binding)
      Self.complete(object, version, &row)
      core.noteMoves(of: object, binding, from: former)
    case .deleted where object._$state.isUnread:
      let (former, seen) = (core.linkedRows(of: object, binding), object._$state.version)
      // The lists have what delete rules have released, in case the object comes back.
      Self.complete(object, version, &row, keeping: binding.toMany)
      // The policy `.fail` compares the version of the values that the program has seen.
      if seen != 0 { object._$state.version = seen }
      core.noteMoves(of: object, binding, from: former)
    case .clean, .changed, .deleted, .detached, .inserted, .orphaned: break
    }
    if !object._$state.isUnread { core.forgetFailedReads(of: object, binding) }
  }

  /// Reads a partial row into an object that is not loaded; a loaded object has all values already.
  ///
  /// - Returns: `false` if the object's values are older than the row, so that the whole row must be read again.
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

  /// Reads the row of an object that was changed before it could be read, or is read again; keeps the changes.
  private static func complete(
    _ object: any PersistentModel, _ version: Int64, _ row: inout _RowReader, keeping lists: [Int] = []
  ) {
    func storage(_ property: Int) -> (any _PropertyStorage)? {
      var keeper = StorageKeeper()
      object._$visit(property, &keeper)
      return keeper.storage
    }
    let changes = object._$state.changedProperties.map { (property: $0, storage: storage($0)) }
    let unchanged = lists.filter { !object._$state.isChanged($0) }.map { (property: $0, storage: storage($0)) }
    let isFirst = object._$state.version != -1
    notifyingAll(object) { object in
      object._$read(from: &row)
      for (property, changed) in changes {
        if isFirst { object._$state.extras?.originals[property] = storage(property) }
        guard let changed else { continue }
        var putter = StoragePutter(storage: changed)
        object._$visit(property, &putter)
      }
      for case (let property, let list?) in unchanged where !list._isPending {
        var putter = StoragePutter(storage: list)
        object._$visit(property, &putter)
      }
    }
    object._$state.version = version
    object._$state.isUnread = false
  }
}

/// The rows that the loop above goes through; a protocol of its own, so that the loop is compiled for each kind of rows.
private protocol RowLoop {
  var soleEntity: Int32? { get }
  var key: Int64 { get }
  var entity: Int32 { get }
  var version: Int64 { get }
  func next() throws -> Bool
}

extension RowCursor: RowLoop {}

/// The rows of any engine.
private struct EngineRows: RowLoop {
  let rows: any ObjectRows

  var soleEntity: Int32? { rows.soleEntity }
  var key: Int64 { rows.key }
  var entity: Int32 { rows.entity }
  var version: Int64 { rows.version }
  func next() throws -> Bool { try rows.next() }
}

/// The next rows of a query, up to a number.
private final class FirstRows<Rows: RowLoop>: RowLoop {
  private let rows: Rows
  private var rest: Int
  /// Whether the query has no further rows.
  private(set) var isAtEnd = false

  init(_ rows: Rows, count: Int) {
    self.rows = rows
    rest = count
  }

  var soleEntity: Int32? { rows.soleEntity }
  var key: Int64 { rows.key }
  var entity: Int32 { rows.entity }
  var version: Int64 { rows.version }

  func next() throws -> Bool {
    guard rest > 0 else { return false }
    rest -= 1
    isAtEnd = try !rows.next()
    return !isAtEnd
  }
}
