import CSQLite
import Foundation
import Synchronization

/// SQLite's memory, whose requests fail on demand.
package enum FaultyMemory {
  private struct State {
    var first = 0
    var isPersistent = false
    var isArmed = false
    var count = 0
  }

  private static let state = Mutex(State())

  package struct Unavailable: Error {}

  /// `sqlite3_config`. Swift cannot call it because it is variadic; with one pointer the call is the same on Linux.
  private static func configure(_ option: CInt, _ methods: UnsafeMutablePointer<sqlite3_mem_methods>) -> CInt {
    typealias Configure = @convention(c) (CInt, UnsafeMutableRawPointer) -> CInt
    guard let symbol = dlsym(nil, "sqlite3_config") else { return SQLITE_MISUSE }
    return unsafeBitCast(symbol, to: Configure.self)(option, methods)
  }

  /// Replaces SQLite's memory functions. The process must not have used SQLite before.
  package static func install() throws {
    guard sqlite3_shutdown() == SQLITE_OK else { throw Unavailable() }
    var methods = sqlite3_mem_methods()
    guard configure(SQLITE_CONFIG_GETMALLOC, &methods) == SQLITE_OK, let allocate = methods.xMalloc,
      let resize = methods.xRealloc
    else { throw Unavailable() }
    originals = (allocate, resize)
    methods.xMalloc = { FaultyMemory.fails() ? nil : FaultyMemory.originals?.allocate($0) }
    methods.xRealloc = { FaultyMemory.fails() ? nil : FaultyMemory.originals?.resize($0, $1) }
    guard configure(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK else { throw Unavailable() }
  }

  private typealias Allocate = @convention(c) (CInt) -> UnsafeMutableRawPointer?
  private typealias Resize = @convention(c) (UnsafeMutableRawPointer?, CInt) -> UnsafeMutableRawPointer?
  nonisolated(unsafe) private static var originals: (allocate: Allocate, resize: Resize)?

  /// Makes the request number `first` fail, with `isPersistent` all later ones too; 0 for none.
  package static func arm(_ first: Int, isPersistent: Bool) {
    state.withLock { ($0.first, $0.isPersistent, $0.count, $0.isArmed) = (first, isPersistent, 0, true) }
  }

  /// Ends the failures. Returns the number of requests since the fault was armed.
  package static func disarm() -> Int {
    state.withLock {
      $0.isArmed = false
      return $0.count
    }
  }

  private static func fails() -> Bool {
    state.withLock { state in
      guard state.isArmed else { return false }
      state.count += 1
      guard state.first > 0 else { return false }
      return state.count == state.first || (state.isPersistent && state.count > state.first)
    }
  }
}
