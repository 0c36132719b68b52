internal import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Whether this thread is making an object for a row; if so, initial values are not evaluated.
enum Materialization {
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let code = pthread_key_create(&key, nil)
    precondition(code == 0, "SwiftData: the system has no thread-local storage left (error \(code)).")
    return key
  }()

  static var isActive: Bool { pthread_getspecific(key) != nil }

  /// Makes an object without values.
  static func makeBlank<Model: PersistentModel>(_ type: Model.Type, in place: _ModelPlace = _ModelPlace()) -> Model {
    let outer = begin()
    defer { end(outer) }
    return type.init(_$blank: place)
  }

  /// Starts making an object; returns the state to pass to ``end(_:)``.
  static func begin() -> UnsafeMutableRawPointer? {
    let outer = pthread_getspecific(key)
    pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1))
    return outer
  }

  static func end(_ outer: UnsafeMutableRawPointer?) { pthread_setspecific(key, outer) }
}
