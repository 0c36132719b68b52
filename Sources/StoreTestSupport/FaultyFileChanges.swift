package import Foundation

/// Changes of the files below a folder: each call of this process that changes a file is counted, and fails, or ends the process, on demand.
///
/// SQLite's calls come from ``FaultyFileSystem``. For files that are linked, renamed, synchronized and removed without SQLite, the functions
/// below stand in the place of the system's, because a program's own symbols come first. Calls for other files pass through them.
package final class FaultyFileChanges: @unchecked Sendable {  // guarded by `lock`
  package enum Effect: Sendable {
    /// The call fails. A write fails after half of its bytes.
    case failure
    /// That call fails, and each later one: the disk stays as a killed process leaves it.
    case failures
    /// The process ends, as by `kill -9`.
    case death
  }

  private let path: String
  private let lock = NSLock()
  private var effect: Effect?
  private var first = 0
  private var met: [String] = []
  /// The calls since ``arm(_:at:)``, with the names of their files.
  package var calls: [String] { lock.withLock { met } }

  /// Handles the files below a folder.
  package init(_ folder: URL) {
    path =
      realpath(folder.path, nil).map { resolved -> String in
        defer { free(resolved) }
        return String(cString: resolved)
      } ?? folder.path
    Registry.shared.add(self)
    _ = FaultyFileSystem(folder) { [weak self] call in self?.strikes("SQLite:", call.rawValue) ?? false }
  }

  /// Counts calls from now on. The call number `first` has the effect; 0 for none.
  package func arm(_ effect: Effect, at first: Int) {
    lock.withLock { (self.effect, self.first, met) = (effect, first, []) }
  }

  package func disarm() { lock.withLock { effect = nil } }

  /// Removes the handler; later calls cost nothing.
  package func end() { Registry.shared.remove(self) }

  fileprivate func handles(_ file: String) -> Bool { file == path || file.hasPrefix(path + "/") }

  fileprivate func strikes(_ call: String, _ file: String) -> Bool {
    lock.withLock {
      guard let effect else { return false }
      met.append("\(call) \(file.hasPrefix(path) ? String(file.dropFirst(path.count + 1)) : file)")
      guard first > 0 else { return false }
      switch effect {
      case .failure: return met.count == first
      case .failures: return met.count >= first
      case .death:
        if met.count == first { kill(getpid(), SIGKILL) }
        return false
      }
    }
  }
}

/// The handlers of the process.
private final class Registry: @unchecked Sendable {  // guarded by `lock`
  static let shared = Registry()
  private let lock = NSLock()
  private var handlers: [FaultyFileChanges] = []

  func add(_ handler: FaultyFileChanges) { lock.withLock { handlers.append(handler) } }
  func remove(_ handler: FaultyFileChanges) { lock.withLock { handlers.removeAll { $0 === handler } } }

  /// Whether a call for a file is to fail.
  func strikes(_ call: String, _ file: @autoclosure () -> String) -> Bool {
    let handlers = lock.withLock { self.handlers }
    guard !handlers.isEmpty else { return false }
    let file = file()
    return handlers.last { $0.handles(file) }?.strikes(call, file) ?? false
  }

  /// The path of an open file, or of a name in an open folder.
  static func path(_ descriptor: CInt, _ name: UnsafePointer<CChar>? = nil) -> String {
    if let name, name.pointee == UInt8(ascii: "/") || descriptor == AT_FDCWD { return String(cString: name) }
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count)
    let folder = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return name.map { folder + "/" + String(cString: $0) } ?? folder
  }
}

/// The system's own functions.
private enum System {
  typealias OnPath = @convention(c) (UnsafePointer<CChar>?) -> CInt
  typealias OnPaths = @convention(c) (UnsafePointer<CChar>?, UnsafePointer<CChar>?) -> CInt
  typealias Write = @convention(c) (CInt, UnsafeRawPointer?, Int, Int) -> Int
  typealias UnlinkAt = @convention(c) (CInt, UnsafePointer<CChar>?, CInt) -> CInt
  typealias RenameAt = @convention(c) (CInt, UnsafePointer<CChar>?, CInt, UnsafePointer<CChar>?) -> CInt
  typealias LinkAt = @convention(c) (CInt, UnsafePointer<CChar>?, CInt, UnsafePointer<CChar>?, CInt) -> CInt

  static let unlink = find("unlink", OnPath.self)
  static let link = find("link", OnPaths.self)
  static let rename = find("rename", OnPaths.self)
  static let pwrite = find("pwrite", Write.self)
  static let unlinkat = find("unlinkat", UnlinkAt.self)
  static let mkdirat = find("mkdirat", UnlinkAt.self)
  static let renameat = find("renameat", RenameAt.self)
  static let linkat = find("linkat", LinkAt.self)

  private static func find<Function>(_ name: String, _ type: Function.Type) -> Function {
    guard let library = dlopen("libc.so.6", RTLD_NOW), let symbol = dlsym(library, name) else {
      fatalError("The C library libc.so.6 has no function \(name), which faulty files stand in for.")
    }
    return unsafeBitCast(symbol, to: type)
  }
}

private func failed<Number: FixedWidthInteger>() -> Number {
  errno = EIO
  return -1
}

/// Waits for no disk: see `DiskSynchronization` of `TestSupport`.
@_cdecl("fsync") package func faultyFsync(_ file: CInt) -> CInt {
  Registry.shared.strikes("fsync", Registry.path(file)) ? failed() : 0
}

@_cdecl("unlink") package func faultyUnlink(_ path: UnsafePointer<CChar>?) -> CInt {
  Registry.shared.strikes("unlink", Registry.path(AT_FDCWD, path)) ? failed() : System.unlink(path)
}

@_cdecl("unlinkat") package func faultyUnlinkAt(_ folder: CInt, _ name: UnsafePointer<CChar>?, _ flags: CInt) -> CInt {
  Registry.shared.strikes("unlink", Registry.path(folder, name)) ? failed() : System.unlinkat(folder, name, flags)
}

@_cdecl("mkdirat") package func faultyMkdirAt(_ folder: CInt, _ name: UnsafePointer<CChar>?, _ mode: CInt) -> CInt {
  Registry.shared.strikes("mkdir", Registry.path(folder, name)) ? failed() : System.mkdirat(folder, name, mode)
}

@_cdecl("link") package func faultyLink(_ old: UnsafePointer<CChar>?, _ new: UnsafePointer<CChar>?) -> CInt {
  Registry.shared.strikes("link", Registry.path(AT_FDCWD, new)) ? failed() : System.link(old, new)
}

@_cdecl("linkat") package func faultyLinkAt(
  _ oldFolder: CInt, _ old: UnsafePointer<CChar>?, _ newFolder: CInt, _ new: UnsafePointer<CChar>?, _ flags: CInt
) -> CInt {
  Registry.shared.strikes("link", Registry.path(newFolder, new))
    ? failed() : System.linkat(oldFolder, old, newFolder, new, flags)
}

@_cdecl("rename") package func faultyRename(_ old: UnsafePointer<CChar>?, _ new: UnsafePointer<CChar>?) -> CInt {
  Registry.shared.strikes("rename", Registry.path(AT_FDCWD, new)) ? failed() : System.rename(old, new)
}

@_cdecl("renameat") package func faultyRenameAt(
  _ oldFolder: CInt, _ old: UnsafePointer<CChar>?, _ newFolder: CInt, _ new: UnsafePointer<CChar>?
) -> CInt {
  Registry.shared.strikes("rename", Registry.path(newFolder, new))
    ? failed() : System.renameat(oldFolder, old, newFolder, new)
}

@_cdecl("pwrite") package func faultyPwrite(
  _ file: CInt, _ bytes: UnsafeRawPointer?, _ count: Int, _ offset: Int
) -> Int {
  guard Registry.shared.strikes("write", Registry.path(file)) else { return System.pwrite(file, bytes, count, offset) }
  _ = System.pwrite(file, bytes, count / 2, offset)
  return failed()
}
