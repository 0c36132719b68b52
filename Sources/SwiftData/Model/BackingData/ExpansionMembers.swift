internal import Observation

/// The type of `_x` beside a property `x` whose value is in backing data: it tells the compiler that `x` has a value.
///
/// Code written for Apple's framework assigns it in `init` accessors. Apple: the structure of this name in each expansion of `@Model`.
public struct _SwiftDataNoType: Sendable {
  /// Makes the only value.
  public init() {}
}

/// The registrar of an object's observers, made when the first observer reads the object.
///
/// Code written for Apple's framework calls it in accessors of its own.
public struct _ModelObservationRegistrar<Model: PersistentModel> {
  /// Notes that a property is read.
  public func access<Member>(_ subject: Model, keyPath: KeyPath<Model, Member>) { _trackRead(of: subject, keyPath) }

  /// Changes a property, and notifies its observers.
  public func withMutation<Member, Result>(
    of subject: Model, keyPath: KeyPath<Model, Member>, _ mutation: () throws -> Result
  ) rethrows -> Result {
    guard let registrar = subject._$state._registrar else { return try mutation() }
    return try registrar.withMutation(of: subject, keyPath: keyPath, mutation)
  }

  /// Notifies the observers of a property that is about to change.
  public func willSet<Member>(_ subject: Model, keyPath: KeyPath<Model, Member>) {
    subject._$state._registrar?.willSet(subject, keyPath: keyPath)
  }

  /// Notifies the observers of a property that has changed.
  public func didSet<Member>(_ subject: Model, keyPath: KeyPath<Model, Member>) {
    subject._$state._registrar?.didSet(subject, keyPath: keyPath)
  }
}

extension PersistentModel {
  /// The registrar of the object's observers. Apple: the variable of this name in each expansion of `@Model`.
  public var _$observationRegistrar: _ModelObservationRegistrar<Self> { _ModelObservationRegistrar() }
}
