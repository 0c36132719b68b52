/// The objects of a query's rows that are of a class, and their keys.
///
/// The type is not generic, since the metadata of generic types would be looked up for every object.
struct RowObjects {
  private var objects: [AnyObject] = []
  /// The keys of the rows, if they are wanted.
  private(set) var keys: [Int64] = []
  private let wantsKeys: Bool
  private let isWanted: (AnyObject.Type) -> Bool
  /// The class of the last object; most results have one class only.
  private var lastType: ObjectIdentifier?

  init<Model: PersistentModel>(of type: Model.Type, wantsKeys: Bool) {
    self.wantsKeys = wantsKeys
    isWanted = { $0 is Model.Type }
  }

  /// Adds an object, unless it is of another class.
  mutating func append(_ object: consuming AnyObject, _ key: Int64) {
    let type: AnyObject.Type = type(of: object)
    if ObjectIdentifier(type) != lastType {
      guard isWanted(type) else { return }
      lastType = ObjectIdentifier(type)
    }
    objects.append(object)
    if wantsKeys { keys.append(key) }
  }

  /// The objects in the order of the rows. The class is the one of the initializer.
  func models<Model: PersistentModel>(of type: Model.Type) -> [Model] {
    // An array of objects is an array of references, whatever their class.
    unsafeBitCast(objects, to: [Model].self)
  }
}
