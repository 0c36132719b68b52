internal import CoreDataStore
internal import Foundation
internal import StoreRequests

/// An object from which a decoder reads values by the names of properties: a row, or a model object.
protocol ProjectedObject {
  /// The class that a type is decoded from. A row of a subclass has the properties of this class only.
  var model: ModelClass { get }
  /// The number of relationships that lead to the object.
  var depth: Int { get }
  func content(of property: ModelClass.Property) throws -> ProjectedContent
  func identifier() throws -> PersistentIdentifier?
}

/// The content of a property.
enum ProjectedContent {
  /// A value; `nil` for none.
  case value(Any?)
  /// The object that a to-one relationship leads to; `nil` for none.
  case object((any ProjectedObject)?)
  case members([any ProjectedObject])

  var isNil: Bool {
    switch self {
    case .value(nil), .object(nil): true
    case .value, .object, .members: false
    }
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
      guard try plan.value(key(property.name), of: self) as? Int64 == 0 else { return .object(nil) }
      return .object(ProjectedRow(plan: plan, model: ModelClass.of(relationship.destination), path: path(to: property)))
    }
    let value = try plan.value(key(property.name), of: self)
    // A column without a value of the property's type: the getter of an object knows the default.
    if value == nil, !(property.valueType is any OptionalType.Type) { throw plan.requireObjects() }
    return .value(value)
  }

  func identifier() throws -> PersistentIdentifier? {
    try plan.value(key(""), of: self) as? PersistentIdentifier
  }

  /// All values that columns of the row have.
  var columns: [ProjectionPlan.Column] {
    let store = plan.store
    let identifier = ProjectionPlan.Column(key: key(""), expression: .object(path)) { row in
      row.row.object().flatMap { store.identifier(of: $0) }
    }
    return [identifier] + model.properties.compactMap(column)
  }

  /// - Returns: `nil` if only an object has the value.
  private func column(of property: ModelClass.Property) -> ProjectionPlan.Column? {
    if let relationship = property.relationshipType {
      guard !relationship.isToMany, !property.isTransient else { return nil }
      let isMissing = FetchExpression.conditional(
        .isNull(.object(path(to: property))), then: .constant(.integer(1)), otherwise: .constant(.integer(0)))
      return .init(key: key(property.name), expression: isMissing) { $0.integer() }
    }
    let route =
      property.isTransient ? [] : try? StoreResolver(store: plan.store).route(of: property.keyPath, from: model.type)
    guard let route, route.count == 1, case .attribute(let name, let element, isOpaque: false) = route[0] else {
      return nil
    }
    let expression = FetchExpression.attribute(path, name: name, element: element)
    return .init(key: key(property.name), expression: expression, reader: Self.reader(property.valueType))
  }

  private func path(to relationship: ModelClass.Property) -> FetchPath {
    var next = path
    next.follow(relationship.persistentName)
    return next
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
  let model: ModelClass
  var depth = 0

  func content(of property: ModelClass.Property) throws -> ProjectedContent {
    let plain = object[keyPath: property.keyPath].flatMap(unwrap)
    guard let relationship = property.relationshipType else { return .value(plain) }
    let destination = ModelClass.of(relationship.destination)
    func projected(_ object: any PersistentModel) -> ProjectedModel {
      ProjectedModel(object: object, model: destination, depth: depth + 1)
    }
    if relationship.isToMany { return .members((plain as? [any PersistentModel] ?? []).map(projected)) }
    return .object((plain as? any PersistentModel).map(projected))
  }

  func identifier() throws -> PersistentIdentifier? { object.persistentModelID }
}
