internal import StoreRequests

/// Backing data that keeps values by itself, in a box per property; ``PersistentModel/createBackingData()`` makes it.
///
/// A class whose source contains the expansion of Apple's macro keeps its values and its state here. Such an object is
/// slower than an object of a class with `@Model`: each access looks the property up, and each box is an allocation.
final class StoredBackingData<Model: PersistentModel>: UniformBackingData {
  /// The state of the object that has these values.
  @exclusivity(unchecked) var state = _ModelState()
  /// By property index; `nil` for an index that the class does not use.
  private let boxes: [(any PropertyBox)?]
  /// The object that has these values; `nil` until the framework needs it.
  private(set) weak var object: Model?
  private var identifier: PersistentIdentifier?

  init(for modelType: Model.Type) {
    let properties = ModelClass.of(modelType).properties
    var boxes = [(any PropertyBox)?](repeating: nil, count: (properties.map(\.index).max() ?? -1) + 1)
    for property in properties { boxes[property.index] = property.makeBox() }
    self.boxes = boxes
  }

  func belong(to object: Model) { if self.object == nil { self.object = object } }

  func box(_ property: Int) -> (any PropertyBox)? { boxes.indices.contains(property) ? boxes[property] : nil }

  var persistentModelID: PersistentIdentifier? {
    get { object?.persistentModelID ?? identifier }
    set { identifier = newValue }
  }

  func value<Value>(forKey keyPath: KeyPath<Model, Value>) -> Value {
    if let object { return object.ownValue(forKey: keyPath) }
    let blank = Materialization.makeBlank(Model.self)
    for (index, box) in boxes.enumerated() { if let storage = box?.storage { blank.put(storage, at: index) } }
    return blank.ownValue(forKey: keyPath)
  }

  func set<Value>(_ newValue: Value, forKey keyPath: KeyPath<Model, Value>) {
    if let object { return object.setOwnValue(newValue, forKey: keyPath) }
    guard let property = ModelClass.of(Model.self).property(for: keyPath), let box = box(property.index) else {
      preconditionFailure("SwiftData: \(keyPath) is no persisted property of \(Model.self).")
    }
    let isAssigned = box.assign(newValue)
    precondition(isAssigned, "SwiftData: \(keyPath) of \(Model.self) does not take a value of type \(Value.self).")
  }
}

/// The storage of one property in ``StoredBackingData``.
protocol PropertyBox: AnyObject {
  var storage: any ValueStorage { get }
  func visit<Visitor: _PropertyVisitor>(_ visitor: inout Visitor)
  func read(from row: inout _RowReader)
  func write(of object: some PersistentModel, at property: Int, into row: inout _RowWriter) throws
  /// - Returns: `false` for a value of another type.
  func assign<Given>(_ value: Given) -> Bool
}

extension ModelClass.Property {
  fileprivate func makeBox() -> any PropertyBox {
    func attribute<Value>(_ type: Value.Type) -> any PropertyBox {
      AttributeBox<Value>(self.attribute?.options.first(where: \.isOpaque))
    }
    func toOne<Destination: PersistentModel>(_ type: Destination.Type) -> any PropertyBox { ToOneBox<Destination>() }
    func toMany<Destination: PersistentModel>(_ type: Destination.Type) -> any PropertyBox { ToManyBox<Destination>() }
    guard let relationship = relationshipType else { return attribute(valueType) }
    return relationship.isToMany ? toMany(relationship.destination) : toOne(relationship.destination)
  }
}

private final class AttributeBox<Value>: PropertyBox {
  @exclusivity(unchecked) var content = _AttributeStorage<Value>()
  private let option: Schema.Attribute.Option?

  init(_ option: Schema.Attribute.Option?) { self.option = option }

  var storage: any ValueStorage { content }
  func visit<Visitor: _PropertyVisitor>(_ visitor: inout Visitor) { visitor.visit(&content) }
  func read(from row: inout _RowReader) {
    if let option { content._read(from: &row, as: option) } else { content._read(from: &row) }
  }
  func write(of object: some PersistentModel, at property: Int, into row: inout _RowWriter) throws {
    if let option {
      try content._write(of: object, at: property, into: &row, as: option)
    } else {
      try content._write(of: object, at: property, into: &row)
    }
  }
  func assign<Given>(_ value: Given) -> Bool {
    guard let next = content.replacing(with: value) else { return false }
    content = next
    return true
  }
}

private final class ToOneBox<Destination: PersistentModel>: PropertyBox {
  @exclusivity(unchecked) var content = _ToOneStorage<Destination>()

  var storage: any ValueStorage { content }
  func visit<Visitor: _PropertyVisitor>(_ visitor: inout Visitor) { visitor.visit(&content) }
  func read(from row: inout _RowReader) { content._read(from: &row) }
  func write(of object: some PersistentModel, at property: Int, into row: inout _RowWriter) throws {
    try content._write(of: object, at: property, into: &row)
  }
  func assign<Given>(_ value: Given) -> Bool {
    guard let next = content.replacing(with: value) else { return false }
    content = next
    return true
  }
}

private final class ToManyBox<Destination: PersistentModel>: PropertyBox {
  @exclusivity(unchecked) var content = _ToManyStorage<Destination>()

  var storage: any ValueStorage { content }
  func visit<Visitor: _PropertyVisitor>(_ visitor: inout Visitor) { visitor.visit(&content) }
  func read(from row: inout _RowReader) { content._read(from: &row) }
  func write(of object: some PersistentModel, at property: Int, into row: inout _RowWriter) throws {}
  func assign<Given>(_ value: Given) -> Bool {
    guard let next = content.replacing(with: value) else { return false }
    content = next
    return true
  }
}
