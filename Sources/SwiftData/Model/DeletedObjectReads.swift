internal import Synchronization

extension ModelContext {
  /// Called when a program reads a property of an object whose row is deleted; `nil` by default.
  ///
  /// Such an object keeps its last values, and its `modelContext` is `nil`. A read of it is often a mistake, which this strict mode
  /// finds, in tests and while an app is developed:
  ///
  ///     ModelContext.deletedObjectHandler = { identifier, property in
  ///       assertionFailure("\(property) of the deleted object \(identifier) is read")
  ///     }
  ///
  /// A required relationship whose destination lacks its row gives an object without values, whose reads are reported as well. The
  /// handler counts for all contexts of the process, and runs on the thread of the reader; it gets the name of the property in the
  /// class. With a handler each read of a property costs some ten nanoseconds more, without one nothing. Not in Apple's framework,
  /// which ends the program at such a read.
  public static var deletedObjectHandler: (@Sendable (_ object: PersistentIdentifier, _ property: String) -> Void)? {
    get { DeletedObjectReads.handler.withLock { $0 } }
    set {
      DeletedObjectReads.handler.withLock { $0 = newValue }
      DeletedObjectReads.isOn.store(newValue != nil, ordering: .sequentiallyConsistent)
      forgetProbe()
    }
  }
}

/// The reports of reads of objects whose rows are deleted.
enum DeletedObjectReads {
  fileprivate static let handler = Mutex<(@Sendable (PersistentIdentifier, String) -> Void)?>(nil)
  fileprivate static let isOn = Atomic(false)

  static var areReported: Bool { isOn.load(ordering: .sequentiallyConsistent) }

  static func report<Model: PersistentModel>(_ object: Model, _ keyPath: PartialKeyPath<Model>) {
    guard let handler = handler.withLock({ $0 }) else { return }
    let property = ModelClass.of(type(of: object)).properties.first { $0.keyPath == keyPath }
    handler(object.persistentModelID, property?.name ?? sketch(keyPath))
  }
}
