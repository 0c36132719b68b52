import CSQLite
package import Foundation

/// SQLite's file system for the files below a folder. It counts SQLite's calls, and makes chosen calls fail.
///
/// It is a layer over SQLite's own file system, and the process's default from the first use on. Calls for other files
/// pass through it, so that it does not affect other tests.
package final class FaultyFileSystem: @unchecked Sendable {  // guarded by `lock`
  /// A call of SQLite to the operating system.
  package enum Call: String, CaseIterable {
    case open, delete, access, read, write, truncate, sync, fileSize, lock, unlock, checkReservedLock, fileControl
    case sharedMemoryMap, sharedMemoryLock, sharedMemoryUnlock
  }

  /// The kind of failure.
  package enum Fault: String, CaseIterable {
    /// An input or output error. A write fails after half of its bytes.
    case device
    case fullDisk
    /// Another process holds the lock.
    case busy
    case outOfMemory

    /// The result code of a call with this failure; `nil` for a call that cannot fail so.
    fileprivate func code(_ call: Call) -> Int32? {
      switch self {
      case .device: FaultyFileSystem.deviceCodes[call]
      case .fullDisk: [.write, .truncate, .sharedMemoryMap].contains(call) ? SQLITE_FULL : nil
      case .busy: [.lock, .sharedMemoryLock].contains(call) ? SQLITE_BUSY : nil
      case .outOfMemory:
        [.open, .sharedMemoryMap].contains(call)
          ? SQLITE_NOMEM : [.read, .write, .lock].contains(call) ? SQLITE_IOERR | (12 << 8) : nil
      }
    }
  }

  /// `SQLITE_IOERR_…` (https://www.sqlite.org/rescode.html).
  private static let deviceCodes: [Call: Int32] = [
    .open: SQLITE_CANTOPEN, .delete: SQLITE_IOERR | (10 << 8), .access: SQLITE_IOERR | (13 << 8),
    .read: SQLITE_IOERR | (1 << 8), .write: SQLITE_IOERR | (3 << 8), .truncate: SQLITE_IOERR | (6 << 8),
    .sync: SQLITE_IOERR | (4 << 8), .fileSize: SQLITE_IOERR | (7 << 8), .lock: SQLITE_IOERR | (15 << 8),
    .unlock: SQLITE_IOERR | (8 << 8), .checkReservedLock: SQLITE_IOERR | (14 << 8),
    .fileControl: SQLITE_IOERR, .sharedMemoryMap: SQLITE_IOERR | (21 << 8),
    .sharedMemoryLock: SQLITE_IOERR | (20 << 8), .sharedMemoryUnlock: SQLITE_IOERR | (20 << 8),
  ]

  private let lock = NSLock()
  private var fault: Fault?
  private var first = 0
  private var isPersistent = false
  private var met = 0
  private var struck: [Call] = []
  private var isArmed = false
  /// The number of calls that could have failed since the fault was armed.
  package var count: Int { lock.withLock { met } }
  /// The calls that failed since the fault was armed.
  package var failures: [Call] { lock.withLock { struck } }

  /// Decides of each call that changes a file whether it fails.
  private let decide: (@Sendable (Call) -> Bool)?
  private static let changes: Set<Call> = [.delete, .write, .truncate, .sync]

  /// Handles the files below a folder.
  package init(_ folder: URL) {
    decide = nil
    Layer.shared.add(folder, self)
  }

  /// Handles the files below a folder: a closure decides of each call that changes a file whether it fails.
  init(_ folder: URL, decide: @escaping @Sendable (Call) -> Bool) {
    self.decide = decide
    Layer.shared.add(folder, self)
  }

  /// Makes the call number `first` fail, counting calls that can have this fault; with `isPersistent` all later ones too.
  ///
  /// Numbers begin at 1. With 0 the calls are only counted.
  package func arm(_ fault: Fault, at first: Int, isPersistent: Bool) {
    lock.withLock {
      (self.fault, self.first, self.isPersistent, met, struck, isArmed) = (fault, first, isPersistent, 0, [], true)
    }
  }

  package func disarm() { lock.withLock { isArmed = false } }

  /// The code with which this call fails; `nil` if it succeeds.
  fileprivate func strike(_ call: Call) -> Int32? {
    if let decide { return Self.changes.contains(call) && decide(call) ? Self.deviceCodes[call] : nil }
    return lock.withLock {
      guard isArmed, let code = fault?.code(call) else { return nil }
      met += 1
      guard first > 0, met == first || (isPersistent && met > first) else { return nil }
      struck.append(call)
      // The lock is never released, so SQLite need not wait before its next attempt.
      if fault == .busy { Thread.current.threadDictionary[Layer.skipsSleep] = true }
      return code
    }
  }
}

/// The single layer of the process, with the file system of each folder.
private final class Layer: @unchecked Sendable {  // guarded by `lock`; the pointers never change
  static let shared = Layer()
  static let skipsSleep = "FaultyFileSystem.skipsSleep"

  private let lock = NSLock()
  /// File systems by the paths of their folders. Every file of the process is looked up here, and thousands of folders stay.
  private var folders: [String: FaultyFileSystem] = [:]
  /// SQLite's own file system, and the functions of our files.
  let base: UnsafeMutablePointer<sqlite3_vfs>
  let methods: UnsafeMutablePointer<sqlite3_io_methods>

  func add(_ folder: URL, _ system: FaultyFileSystem) {
    let path = realpath(folder.path, nil).map { resolved -> String in
      defer { free(resolved) }
      return String(cString: resolved)
    }
    lock.withLock { folders[path ?? folder.path] = system }
  }

  /// The file system of a file; `nil` for other files.
  func system(of name: UnsafePointer<CChar>?) -> FaultyFileSystem? {
    guard let name else { return nil }
    var folder = String(cString: name)[...]
    while let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")) {
      folder = folder[..<slash]
      let path = String(folder)
      if let system = lock.withLock({ folders[path] }) { return system }
    }
    return nil
  }

  private init() {
    guard let base = sqlite3_vfs_find(nil) else { fatalError("SQLite has no file system at all.") }
    self.base = base
    methods = .allocate(capacity: 1)
    methods.initialize(to: File.makeMethods())
    let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    layer.initialize(to: base.pointee)
    layer.pointee.zName = UnsafePointer(strdup("faulty"))
    layer.pointee.szOsFile += Int32(File.headerSize)
    layer.pointee.pNext = nil
    // The functions that stay ignore the `sqlite3_vfs` that they are called with.
    layer.pointee.xOpen = { _, name, file, flags, outFlags in
      guard let file else { return SQLITE_MISUSE }
      file.pointee.pMethods = nil
      let system = Layer.shared.system(of: name)
      if let code = system?.strike(.open) { return code }
      let base = Layer.shared.base
      let code = base.pointee.xOpen(base, name, File.inner(file), flags, outFlags)
      // SQLite's own file after the header tells whether it has to be closed; our file does the same.
      if File.inner(file).pointee.pMethods != nil {
        File.header(file).pointee.system = system.map { Unmanaged.passRetained($0) }
        file.pointee.pMethods = UnsafePointer(Layer.shared.methods)
      }
      return code
    }
    layer.pointee.xDelete = { _, name, sync in
      if let code = Layer.shared.system(of: name)?.strike(.delete) { return code }
      let base = Layer.shared.base
      return base.pointee.xDelete(base, name, sync)
    }
    layer.pointee.xAccess = { _, name, flags, result in
      if let code = Layer.shared.system(of: name)?.strike(.access) { return code }
      let base = Layer.shared.base
      return base.pointee.xAccess(base, name, flags, result)
    }
    layer.pointee.xSleep = { _, microseconds in
      let flags = Thread.current.threadDictionary
      if flags[Layer.skipsSleep] != nil {
        flags[Layer.skipsSleep] = nil
        return microseconds
      }
      let base = Layer.shared.base
      return base.pointee.xSleep(base, microseconds)
    }
    sqlite3_vfs_register(layer, 1)
  }
}

/// An open file: the header that SQLite expects, our file system, and then SQLite's own file.
private enum File {
  struct Header {
    var base: sqlite3_file
    var system: Unmanaged<FaultyFileSystem>?
  }

  typealias Handle = UnsafeMutablePointer<sqlite3_file>
  static let headerSize = 32

  static func header(_ file: Handle) -> UnsafeMutablePointer<Header> {
    UnsafeMutableRawPointer(file).assumingMemoryBound(to: Header.self)
  }

  static func inner(_ file: Handle) -> Handle {
    UnsafeMutableRawPointer(file).advanced(by: headerSize).assumingMemoryBound(to: sqlite3_file.self)
  }

  /// Fails, or calls SQLite's own function.
  static func run(
    _ call: FaultyFileSystem.Call, _ file: Handle?, _ body: (sqlite3_io_methods, Handle) -> Int32
  ) -> Int32 {
    guard let file, let methods = inner(file).pointee.pMethods?.pointee else { return SQLITE_MISUSE }
    return header(file).pointee.system?.takeUnretainedValue().strike(call) ?? body(methods, inner(file))
  }

  /// Always calls SQLite's own function, and may then report a failure: an unlock that fails has still released the lock.
  static func finish(
    _ call: FaultyFileSystem.Call, _ file: Handle?, _ body: (sqlite3_io_methods, Handle) -> Int32
  ) -> Int32 {
    guard let file, let methods = inner(file).pointee.pMethods?.pointee else { return SQLITE_MISUSE }
    let code = body(methods, inner(file))
    return header(file).pointee.system?.takeUnretainedValue().strike(call) ?? code
  }

  static func makeMethods() -> sqlite3_io_methods {
    var methods = sqlite3_io_methods()
    methods.iVersion = 2  // no mapped reading: every read is a call
    methods.xClose = { file in
      guard let file else { return SQLITE_MISUSE }
      let code = File.inner(file).pointee.pMethods?.pointee.xClose(File.inner(file)) ?? SQLITE_OK
      File.header(file).pointee.system?.release()
      File.header(file).pointee.system = nil
      file.pointee.pMethods = nil
      return code
    }
    methods.xRead = { file, bytes, count, offset in
      File.run(.read, file) { $0.xRead($1, bytes, count, offset) }
    }
    methods.xWrite = { file, bytes, count, offset in
      guard let file, let methods = File.inner(file).pointee.pMethods?.pointee else { return SQLITE_MISUSE }
      if let code = File.header(file).pointee.system?.takeUnretainedValue().strike(.write) {
        _ = methods.xWrite(File.inner(file), bytes, count / 2, offset)
        return code
      }
      return methods.xWrite(File.inner(file), bytes, count, offset)
    }
    methods.xTruncate = { file, size in File.run(.truncate, file) { $0.xTruncate($1, size) } }
    methods.xSync = { file, flags in File.run(.sync, file) { $0.xSync($1, flags) } }
    methods.xFileSize = { file, size in File.run(.fileSize, file) { $0.xFileSize($1, size) } }
    methods.xLock = { file, level in File.run(.lock, file) { $0.xLock($1, level) } }
    methods.xUnlock = { file, level in File.finish(.unlock, file) { $0.xUnlock($1, level) } }
    methods.xCheckReservedLock = { file, result in
      File.run(.checkReservedLock, file) { $0.xCheckReservedLock($1, result) }
    }
    methods.xFileControl = { file, operation, argument in
      // Most operations only ask, and SQLite accepts any answer. Only the allocation of space can fail.
      guard operation == SQLITE_FCNTL_SIZE_HINT || operation == SQLITE_FCNTL_CHUNK_SIZE else {
        guard let file, let methods = File.inner(file).pointee.pMethods?.pointee else { return SQLITE_MISUSE }
        return methods.xFileControl(File.inner(file), operation, argument)
      }
      return File.run(.fileControl, file) { $0.xFileControl($1, operation, argument) }
    }
    methods.xSectorSize = { file in
      file.flatMap { File.inner($0).pointee.pMethods?.pointee.xSectorSize(File.inner($0)) } ?? 4096
    }
    methods.xDeviceCharacteristics = { file in
      file.flatMap { File.inner($0).pointee.pMethods?.pointee.xDeviceCharacteristics(File.inner($0)) } ?? 0
    }
    methods.xShmMap = { file, page, size, extend, memory in
      File.run(.sharedMemoryMap, file) { $0.xShmMap($1, page, size, extend, memory) }
    }
    methods.xShmLock = { file, offset, count, flags in
      flags & SQLITE_SHM_UNLOCK != 0
        ? File.finish(.sharedMemoryUnlock, file) { $0.xShmLock($1, offset, count, flags) }
        : File.run(.sharedMemoryLock, file) { $0.xShmLock($1, offset, count, flags) }
    }
    methods.xShmBarrier = { file in
      if let file { File.inner(file).pointee.pMethods?.pointee.xShmBarrier(File.inner(file)) }
    }
    methods.xShmUnmap = { file, delete in
      guard let file, let methods = File.inner(file).pointee.pMethods?.pointee else { return SQLITE_MISUSE }
      return methods.xShmUnmap(File.inner(file), delete)
    }
    return methods
  }
}
