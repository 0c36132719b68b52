import CSQLite
import Synchronization

/// SQLite's file system without its waits for the disk, for the whole process.
///
/// Each transaction waits for the disk some milliseconds, and a store is created in several transactions. No test needs that: a killed
/// process loses nothing that it has written, because the system keeps it. Only a machine without power does.
enum DiskSynchronization {
  private typealias Methods = UnsafePointer<sqlite3_io_methods>

  /// SQLite opens every later file of this process without waits, once this is read.
  static let isSkipped: Bool = {
    guard let base else { return false }
    let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    layer.initialize(to: base.pointee)
    layer.pointee.zName = nameOfLayer
    layer.pointee.pNext = nil
    // The functions that stay ignore the `sqlite3_vfs` that they are called with.
    layer.pointee.xOpen = { _, name, file, flags, outFlags in
      guard let base = DiskSynchronization.base, let file else { return SQLITE_MISUSE }
      let code = base.pointee.xOpen(base, name, file, flags, outFlags)
      file.pointee.pMethods = file.pointee.pMethods.map { DiskSynchronization.withoutWaits($0) }
      return code
    }
    layer.pointee.xDelete = { _, name, _ in
      guard let base = DiskSynchronization.base else { return SQLITE_MISUSE }
      return base.pointee.xDelete(base, name, 0)
    }
    layer.pointee.xSleep = { _, microseconds in
      guard let base = DiskSynchronization.base, !LockWaits.areSkipped else { return microseconds }
      return base.pointee.xSleep(base, microseconds)
    }
    return sqlite3_vfs_register(layer, 1) == SQLITE_OK
  }()

  /// SQLite's own file system, which is never released.
  nonisolated(unsafe) private static let base = {
    // As a connection does that is the first to use SQLite.
    _ = csqlite_stop_counting_memory()
    return sqlite3_vfs_find(nil)
  }()
  nonisolated(unsafe) private static let nameOfLayer: UnsafePointer<CChar> = {
    let name = StaticString("without-waits")
    return UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
  }()

  /// SQLite has a table of functions for each way to lock a file; each gets a copy, which is never released.
  private static let copies = Mutex<[Int: Int]>([:])

  private static func withoutWaits(_ methods: Methods) -> Methods {
    let address = copies.withLock { copies in
      let original = Int(bitPattern: methods)
      if let known = copies[original] { return known }
      let copy = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
      copy.initialize(to: methods.pointee)
      copy.pointee.xSync = { _, _ in SQLITE_OK }
      copies[original] = Int(bitPattern: copy)
      return Int(bitPattern: copy)
    }
    return Methods(bitPattern: address) ?? methods
  }
}
