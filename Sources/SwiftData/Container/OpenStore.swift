internal import Foundation
internal import ManagedModel
internal import StoreRequests
internal import Synchronization

/// A store of a container, with the classes of its objects.
final class OpenStore: Sendable {
  /// The store's index in its container.
  let index: Int
  let configuration: ModelConfiguration
  let engine: any StoreEngine
  let historyRetention = HistoryRetention()
  /// The engine, if it belongs to a custom store, which takes whole descriptors.
  let descriptorEngine: (any DescriptorEngine)?
  /// By entity number; an entity without a class has the binding of its nearest superentity with a class, or `nil`.
  private let bindings: [EntityBinding?]
  /// By entity number.
  private let references: [EntityReference?]
  /// By entity number: the plan for reading rows of the entity and its subentities.
  private let rowPlans: [RowPlan?]
  /// By entity number: the entity's place in the order of names, superentities first. Each engine numbers entities in its own way.
  private let places: [Int]
  let entities: EntityTable
  private let knownMisfits = Mutex<Set<Misfit>>([])

  /// A property for which a row has had no fitting value.
  struct Misfit: Hashable {
    /// The tag of the row's entity.
    let tag: Int32
    let property: Int
  }

  /// - Parameters:
  ///   - classes: the classes by entity name.
  ///   - firstTable: the number of hierarchies in the container's earlier stores.
  /// - Throws: ``SwiftDataError/loadIssueModelContainer`` if a class and its entity do not fit.
  init(
    index: Int, configuration: ModelConfiguration, engine: any StoreEngine,
    classes: [String: any PersistentModel.Type], firstTable: Int
  ) throws {
    self.index = index
    self.configuration = configuration
    self.engine = engine
    descriptorEngine = engine as? any DescriptorEngine
    let entities = engine.entities
    self.entities = entities
    let size = Int(entities.entities.map(\.number).max() ?? 0) + 1
    var references = [EntityReference?](repeating: nil, count: size)
    var bindings = [EntityBinding?](repeating: nil, count: size)
    let binder = EntityBinder(entities: entities, store: index, classes: classes)
    for entity in entities.entities {
      let number = Int(entity.number)
      references[number] = EntityReference(storeIdentifier: engine.identifier, name: entity.name)
      guard let type = classes[entity.name] else { continue }
      bindings[number] = try binder.binding(entity, type, table: firstTable + entity.hierarchy)
    }
    for entity in entities.entities where bindings[Int(entity.number)] == nil {
      let ancestor = entity.lineage.last { classes[$0] != nil }
      bindings[Int(entity.number)] = ancestor.flatMap { entities.entity(named: $0) }.flatMap {
        bindings[Int($0.number)]
      }
    }
    var plans = [RowPlan?](repeating: nil, count: size)
    for entity in entities.entities where bindings[Int(entity.number)] != nil {
      plans[Int(entity.number)] = RowPlan(kinds: entity.kindNumbers.map { Int($0) }, bindings: bindings)
    }
    var places = [Int](repeating: 0, count: size)
    let sorted = entities.entities.sorted { $0.lineage.lexicographicallyPrecedes($1.lineage) }
    for (place, entity) in sorted.enumerated() { places[Int(entity.number)] = place }
    self.places = places
    self.bindings = bindings
    self.references = references
    rowPlans = plans
  }

  /// The properties for which rows had no fitting values, as far as objects have read them. None leaves while the store is open.
  var misfits: Set<Misfit> { knownMisfits.withLock { $0 } }

  func noteMisfit(_ misfit: Misfit) { knownMisfits.withLock { _ = $0.insert(misfit) } }

  /// The number of hierarchies in the store; each has a place in an identity map.
  var tableCount: Int { entities.hierarchyCount }

  /// The bindings of all entities that have a class of their own.
  var ownBindings: [EntityBinding] {
    bindings.enumerated().compactMap { number, binding in
      binding.flatMap { EntityTag.entity($0.tag) == Int32(number) ? $0 : nil }
    }
  }

  /// The entities whose rows are objects of the store's classes.
  var boundEntityNames: [String] { entities.entities.filter { binding($0.number) != nil }.map(\.name) }

  func binding(_ number: Int) -> EntityBinding? { bindings.indices.contains(number) ? bindings[number] : nil }

  func binding(_ number: Int32) -> EntityBinding? { binding(Int(number)) }

  /// The place of an entity in an order that all engines share.
  func place(ofEntity number: Int32) -> Int { places.indices.contains(Int(number)) ? places[Int(number)] : .max }

  func number(of entityName: String) -> Int32? { entities.entity(named: entityName)?.number }

  /// The plan for reading rows of an entity and its subentities.
  func rowPlan(_ number: Int32) -> RowPlan? { rowPlans.indices.contains(Int(number)) ? rowPlans[Int(number)] : nil }

  /// The plan for reading rows of a class and its subclasses.
  ///
  /// - Parameter properties: the stored names of the properties to read; all of them if `nil`.
  func rowPlan(_ binding: EntityBinding, properties: [String]?) -> RowPlan? {
    guard let plan = rowPlan(EntityTag.entity(binding.tag)) else { return nil }
    return properties.map { RowPlan($0, of: binding, plan) } ?? plan
  }

  /// Whether an entity is another entity or inherits from it.
  func isKind(_ number: Int32, of ancestor: Int32) -> Bool { entities.isKind(number, of: ancestor) }

  /// Runs a closure on the store's engine, and rethrows its errors as programs get them; see ``storeFailure(_:)``.
  func reporting<Result>(_ body: (any StoreEngine) throws -> Result) throws -> Result {
    do { return try body(engine) } catch { throw storeFailure(error) }
  }
}

// Identifiers.
extension OpenStore {
  /// The identifier of an object of the store; `nil` for an entity that the store does not have.
  func identifier(of object: ObjectKey) -> PersistentIdentifier? {
    let number = Int(object.entity)
    guard references.indices.contains(number), let reference = references[number] else { return nil }
    if let name = engine.keyName(of: object) { return PersistentIdentifier(entity: reference, primaryKey: name) }
    return PersistentIdentifier(reference, key: object.key)
  }

  /// The object that an identifier names, or named by its first save; `nil` for an identifier of another store.
  func object(of identifier: PersistentIdentifier) -> ObjectKey? {
    switch identifier.permanent?.representation {
    case .row(let entity, let key):
      guard entity.storeIdentifier == engine.identifier, let number = number(of: entity.name) else { return nil }
      guard let descriptorEngine else { return ObjectKey(entity: number, key: key) }
      return descriptorEngine.key(named: "p\(key)", entity: number).map { ObjectKey(entity: number, key: $0) }
    case .foreign(let entity, let name):
      guard entity.storeIdentifier == engine.identifier, let number = number(of: entity.name) else { return nil }
      return engine.key(named: name, entity: number).map { ObjectKey(entity: number, key: $0) }
    case .temporary, nil: return nil
    }
  }
}

/// The columns to select for objects of an entity and its subentities.
///
/// The columns of each class follow those of the previous class. A class's own and inherited columns are contiguous.
struct RowPlan: Sendable {
  let columns: [ColumnSelection]
  /// The result column of each property that `_$read` reads, in its order; −1 for a property that is not read.
  ///
  /// `nil` if all properties are read, each from the next column.
  let places: [Int]?
  /// Whether one of the classes has relationships.
  let hasRelationships: Bool
  /// By `Z_ENT`: the class of the entity's rows, and the first of its result columns.
  private let starts: [(binding: EntityBinding, start: Int)?]

  init(kinds: [Int], bindings: [EntityBinding?]) {
    var columns: [ColumnSelection] = []
    var starts = [(binding: EntityBinding, start: Int)?](repeating: nil, count: bindings.count)
    var startByTag: [Int32: Int] = [:]
    var width = 0
    for number in kinds {
      guard let binding = bindings[number] else { continue }
      if let start = startByTag[binding.tag] {
        starts[number] = (binding, start)
        continue
      }
      startByTag[binding.tag] = width
      starts[number] = (binding, width)
      columns += binding.columns
      width += binding.width
    }
    self.columns = columns
    places = nil
    hasRelationships = starts.contains { $0?.binding.relationships.isEmpty == false }
    self.starts = starts
  }

  /// The columns to select for some properties of a class and its subclasses.
  ///
  /// - Parameter names: stored names; those of to-many relationships have no effect.
  init(_ names: [String], of binding: EntityBinding, _ whole: RowPlan) {
    var columns: [ColumnSelection] = []
    var width = 0
    places = binding.readOrder.map { index in
      let property = binding.properties[index]
      guard property.hasColumns, names.contains(property.name) else { return -1 }
      columns.append(ColumnSelection(entityName: binding.name, propertyName: property.name))
      defer { width += property.width }
      return width
    }
    self.columns = columns
    hasRelationships = whole.hasRelationships
    starts = whole.starts.map { start in start.map { ($0.binding, 0) } }
  }

  /// The index of the property that has a result column, counted from the first column of its class.
  func property(at column: Int, of binding: EntityBinding) -> Int? {
    var next = 0
    for (place, index) in binding.readOrder.enumerated() {
      let width = binding.properties[index].width
      let start = places?[place] ?? next
      next += width
      if start >= 0, (start..<start + width).contains(column) { return index }
    }
    return nil
  }

  func start(_ number: Int32) -> (binding: EntityBinding, start: Int)? {
    starts.indices.contains(Int(number)) ? starts[Int(number)] : nil
  }
}
