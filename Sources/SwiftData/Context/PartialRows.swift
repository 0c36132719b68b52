internal import CoreDataStore

/// How chosen properties of rows are read into objects: `FetchDescriptor.propertiesToFetch`.
///
/// An object that knows only these stays a fault, which has values: everything that loads a fault before it needs all of it,
/// or changes it, does so with such an object too, so that nothing is ever written from half a row.
struct PartialRowPlan {
  /// What to select; columns of the fetched entity, which its subentities have as well.
  let columns: [ColumnSelection]
  private let steps: [Step]

  private struct Step {
    /// The index, in the class and its subclasses.
    let property: Int
    /// The place of the first column among the selected ones.
    let column: Int
    let reader: AnyObject?
  }

  /// - Parameter names: persistent names; those without columns, as of to-many relationships, have no effect.
  init(_ names: [String], of binding: EntityBinding) {
    let model = ModelClass.of(binding.type)
    var columns: [ColumnSelection] = []
    var steps: [Step] = []
    var width = 0
    var known: Set<String> = []
    for name in names where known.insert(name).inserted {
      guard let index = binding.index(of: name), binding.properties[index].hasColumns else { continue }
      let property = model.property(at: index)
      steps.append(Step(property: index, column: width, reader: property.flatMap { valueReader(of: $0) }))
      columns.append(ColumnSelection(entityName: binding.name, propertyName: name))
      width += binding.properties[index].width
    }
    self.columns = columns
    self.steps = steps
  }

  /// Takes the properties of the row that the cursor is at.
  func read(into object: any PersistentModel, from cursor: RowCursor) {
    for step in steps {
      var filler = StorageFiller(cursor: cursor, column: cursor.firstSelected + step.column, reader: step.reader)
      object._$visit(step.property, &filler)
    }
  }
}

/// Makes partly loaded objects of the rows of a query, and reads more into those that are not loaded whole.
struct PartialRowMaterializer {
  let core: ContextCore
  let store: OpenStore
  let plan: PartialRowPlan
  /// Rows whose columns are those of the plan, before the first of them.
  let cursor: RowCursor

  /// Gives the object of each row that a class stands for, and whether it keeps values that are older than the row.
  func forEach(_ body: (any PersistentModel, _ isOutdated: Bool) -> Void) throws {
    while try cursor.next() {
      guard let binding = store.binding(cursor.entity) else { continue }
      guard cursor.key != 0 else {
        core.reportKeyZero(binding)
        continue
      }
      let object = object(at: cursor.key, binding)
      let version = object._$state.version
      switch object._$state.status {
      case .fault where version == 0 || version == cursor.version:
        plan.read(into: object, from: cursor)
        object._$state.version = cursor.version
        body(object, false)
      case .fault, .clean: body(object, version != cursor.version)
      case .changed, .deleted, .detached, .inserted, .orphaned: body(object, false)
      }
    }
  }

  private func object(at key: Int64, _ binding: EntityBinding) -> any PersistentModel {
    if let known = core.identityMap.object(binding.table, key), let object = binding.model(known),
      type(of: object) == binding.type || !core.leaves(object, itsRowTo: binding)
    {
      return object
    }
    let tag = EntityTag.make(store: store.index, entity: cursor.entity)
    let fault = binding.makeFault(key, tag, in: core)
    core.identityMap.insert(fault, table: binding.table, key: key)
    return fault
  }
}

/// Puts the columns of a row into the storage of one property.
private struct StorageFiller: _PropertyVisitor {
  let cursor: RowCursor
  let column: Int
  let reader: AnyObject?

  private var row: _RowReader {
    var row = cursor.reader()
    row.start(at: column)
    return _RowReader(row)
  }

  mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>) {
    guard let reader = reader as? ValueReader<Value> else { return }
    var row = row
    storage.value = reader.read(&row)
  }

  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToOneStorage<Destination>) {
    var row = row
    storage._read(from: &row)
  }

  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToManyStorage<Destination>) {}
}

/// How an attribute is read from the columns of a row; made once per fetch, so that what kind its type is is not asked per row.
private final class ValueReader<Value> {
  let read: (inout _RowReader) -> Value?

  init(_ read: @escaping (inout _RowReader) -> Value?) { self.read = read }
}

/// The ``ValueReader`` of an attribute; `nil` for a relationship.
private func valueReader(of property: ModelClass.Property) -> AnyObject? {
  func column<Column: _ColumnValue>(_ type: Column.Type) -> AnyObject {
    ValueReader<Column> { row in Column._read(from: &row) }
  }
  func optional<Column: _ColumnValue>(_ type: Column.Type) -> AnyObject {
    ValueReader<Column?> { row in .some(Column._read(from: &row)) }
  }
  func reader<Value>(_ type: Value.Type) -> AnyObject {
    if let option = property.attribute?.options.first(where: \.isOpaque) {
      let opaque = OpaqueValue(option)
      return ValueReader<Value> { row in opaque.read(type, from: row.blob()) }
    }
    if let type = type as? any _ColumnValue.Type { return column(type) }
    if let type = (type as? any OptionalType.Type)?.wrappedType as? any _ColumnValue.Type { return optional(type) }
    let layout = AttributeLayout.of(type)
    return ValueReader<Value> { row in layout.read(type, from: &row) }
  }
  return property.relationshipType == nil ? _openExistential(property.valueType, do: reader) : nil
}
