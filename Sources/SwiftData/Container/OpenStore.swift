internal import CoreDataStore
internal import Foundation
internal import ManagedModel

/// A store of a container, with the classes of its objects.
final class OpenStore: Sendable {
  /// The store's index in its container.
  let index: Int
  let configuration: ModelConfiguration
  let store: PersistentStore
  /// By `Z_ENT`; an entity without a class has the binding of its nearest superentity with a class, or `nil`.
  private let bindings: [EntityBinding?]
  /// By `Z_ENT`.
  private let references: [EntityReference?]
  private let numberByName: [String: Int32]
  /// By `Z_ENT`: the plan for reading rows of the entity and its subentities.
  private let rowPlans: [RowPlan?]

  /// - Parameters:
  ///   - classes: the classes by entity name.
  ///   - firstTable: the number of tables in the container's earlier stores.
  /// - Throws: ``SwiftDataError/loadIssueModelContainer`` if a class and its entity do not fit.
  init(
    index: Int, configuration: ModelConfiguration, store: PersistentStore,
    classes: [String: any PersistentModel.Type], firstTable: Int
  ) throws {
    self.index = index
    self.configuration = configuration
    self.store = store
    let layout = store.layout
    let size = (layout.entities.map(\.number).max() ?? 0) + 1
    var references = [EntityReference?](repeating: nil, count: size)
    var bindings = [EntityBinding?](repeating: nil, count: size)
    var numbers: [String: Int32] = [:]
    let binder = EntityBinder(layout: layout, store: index, classes: classes)
    for entity in layout.entities {
      let reference = EntityReference(storeIdentifier: store.identifier, name: entity.name)
      references[entity.number] = reference
      numbers[entity.name] = Int32(entity.number)
      guard let type = classes[entity.name] else { continue }
      let table = layout.tables.firstIndex { $0.name == entity.table } ?? 0
      bindings[entity.number] = try binder.binding(entity, type, table: firstTable + table, reference: reference)
    }
    for entity in layout.entities where bindings[entity.number] == nil {
      let ancestor = entity.lineage.last { classes[$0] != nil }
      bindings[entity.number] = ancestor.flatMap { numbers[$0] }.flatMap { bindings[Int($0)] }
    }
    var plans = [RowPlan?](repeating: nil, count: size)
    for entity in layout.entities where bindings[entity.number] != nil {
      plans[entity.number] = RowPlan(kinds: entity.kindNumbers, bindings: bindings)
    }
    self.bindings = bindings
    self.references = references
    numberByName = numbers
    rowPlans = plans
  }

  /// The number of tables in the store; each has a place in an identity map.
  var tableCount: Int { store.layout.tables.count }

  /// The bindings of all entities that have a class of their own.
  var ownBindings: [EntityBinding] {
    bindings.enumerated().compactMap { number, binding in
      binding.flatMap { EntityTag.entity($0.tag) == Int32(number) ? $0 : nil }
    }
  }

  func binding(_ number: Int) -> EntityBinding? { bindings.indices.contains(number) ? bindings[number] : nil }

  func binding(_ number: Int32) -> EntityBinding? { binding(Int(number)) }

  func reference(_ number: Int32) -> EntityReference? {
    references.indices.contains(Int(number)) ? references[Int(number)] : nil
  }

  func number(of entityName: String) -> Int32? { numberByName[entityName] }

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
  func isKind(_ number: Int32, of ancestor: Int32) -> Bool {
    number == ancestor || store.layout.entity(numbered: Int(ancestor))?.includes(Int(number)) == true
  }

  /// Runs a closure on the store, and rethrows its errors as ``SwiftDataError``.
  func reporting<Result>(_ body: (PersistentStore) throws -> Result) throws -> Result {
    do { return try body(store) } catch { throw SwiftDataError(storeError: error) }
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

  func start(_ number: Int32) -> (binding: EntityBinding, start: Int)? {
    starts.indices.contains(Int(number)) ? starts[Int(number)] : nil
  }
}
