internal import CoreDataStore
internal import Foundation
internal import StoreRequests

/// The columns that a decoded type reads of a row. The type asks for them when it decodes the first row; a pass that meets an
/// unknown column is void, and the next pass reads the column too.
final class ProjectionPlan {
  /// A decoder stops here, because no value can stand for a column that is not read yet.
  struct NeedsColumns: Error {}

  let store: OpenStore
  private var indexes: [String: Int] = [:]
  private(set) var expressions: [FetchExpression] = []
  private var readers: [(inout _RowReader) throws -> Any?] = []
  /// Whether the present pass has met a column that it does not read.
  private(set) var isIncomplete = false
  /// Whether a value must be read from objects.
  private(set) var needsObjects = false
  private var values: [Any?] = []

  init(_ store: OpenStore) { self.store = store }

  /// Begins a pass, which reads all columns known so far.
  func begin() { isIncomplete = false }

  func read(_ row: inout _RowReader) throws {
    values.removeAll(keepingCapacity: true)
    for reader in readers { values.append(try reader(&row)) }
  }

  /// The value of a column of the present row; `nil` if the row lacks the column, which the next pass reads.
  func value(_ key: String, _ column: () throws -> (FetchExpression, (inout _RowReader) throws -> Any?)) rethrows
    -> Any??
  {
    if let index = indexes[key] { return index < values.count ? .some(values[index]) : nil }
    let (expression, reader) = try column()
    indexes[key] = expressions.count
    expressions.append(expression)
    readers.append(reader)
    isIncomplete = true
    return nil
  }

  /// Ends the pass: only objects have a value.
  func requireObjects() -> ValueNeedsObject {
    needsObjects = true
    return ValueNeedsObject()
  }
}

/// A row, or the row at the end of to-one relationships.
struct ProjectedRow: ProjectedObject {
  let plan: ProjectionPlan
  let model: ModelClass
  var path = FetchPath()

  var depth: Int { path.steps.count }

  private func key(_ name: String) -> String { (path.relationships + [name]).joined(separator: ".") }

  func content(of property: ModelClass.Property) throws -> ProjectedContent {
    if let relationship = property.relationshipType {
      guard !relationship.isToMany, !property.isTransient else { throw plan.requireObjects() }
      var next = ProjectedRow(plan: plan, model: ModelClass.of(relationship.destination), path: path)
      next.path.follow(property.persistentName)
      let isMissing = plan.value(key(property.name)) {
        (
          .conditional(
            .isNull(.object(next.path)), then: .constant(.integer(1)), otherwise: .constant(.integer(0))),
          { $0.integer() }
        )
      }
      guard let isMissing else { return .unknownObject(next) }
      return .object((isMissing as? Int64) == 0 ? next : nil)
    }
    let value = try plan.value(key(property.name)) {
      let route =
        property.isTransient ? [] : try StoreResolver(store: plan.store).route(of: property.keyPath, from: model.type)
      guard route.count == 1, case .attribute(let name, let element, isOpaque: false) = route[0] else {
        throw plan.requireObjects()
      }
      return (.attribute(path, name: name, element: element), Self.reader(property.valueType))
    }
    guard let value else { return .unknown }
    // A column without a value of the property's type: the getter of an object knows the default.
    if value == nil, !(property.valueType is any OptionalType.Type) { throw plan.requireObjects() }
    return .value(value)
  }

  func identifier() throws -> ProjectedContent {
    let store = plan.store
    let value = plan.value(key("")) {
      (.object(path), { row in row.row.object().flatMap { store.identifier(of: $0) } })
    }
    return value.map { .value($0) } ?? .unknown
  }

  private static func reader<Value>(_ type: Value.Type) -> (inout _RowReader) throws -> Any? {
    { row in
      guard let value = AttributeLayout.of(type).read(type, from: &row) else { return nil }
      return unwrap(value)
    }
  }
}

/// A model object.
struct ProjectedModel: ProjectedObject {
  let object: any PersistentModel
  var depth = 0

  var model: ModelClass { ModelClass.of(type(of: object)) }

  func content(of property: ModelClass.Property) throws -> ProjectedContent {
    let plain = object[keyPath: property.keyPath].flatMap(unwrap)
    guard let relationship = property.relationshipType else { return .value(plain) }
    func projected(_ object: any PersistentModel) -> ProjectedModel { ProjectedModel(object: object, depth: depth + 1) }
    if relationship.isToMany { return .members((plain as? [any PersistentModel] ?? []).map(projected)) }
    return .object((plain as? any PersistentModel).map(projected))
  }

  func identifier() throws -> ProjectedContent { .value(object.persistentModelID) }
}
