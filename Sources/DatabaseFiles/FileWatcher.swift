internal import Dispatch
internal import Foundation
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Tells when files are written, created or replaced, by any process.
///
/// It asks the kernel (inotify), which sends nothing for other files of the folder that are only written. All watches of a
/// process share one inotify instance, since a user has only 128 of them.
package final class FileWatcher: Sendable {
  package static let shared = FileWatcher()

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "OpenSwiftData.FileWatcher", qos: .utility)

  private struct State {
    /// The inotify instance; `nil` before the first watch.
    var instance: Int32?
    var source: (any DispatchSourceRead)?
    var lastID = 0
    var watches: [Int: Watch] = [:]
    /// The watches that each kernel watch serves.
    var users: [Int32: Set<Int>] = [:]
  }

  private struct Watch {
    let folder: String
    let names: Set<String>
    let changed: @Sendable () -> Void
    var kernelWatches: Set<Int32> = []
  }

  package init() {}

  deinit { state.withLock { $0.source?.cancel() } }

  /// Calls a closure on a private queue after each change of some files, until the registration is released.
  ///
  /// Several changes may lead to one call. The files need not exist.
  /// - Returns: `nil` if the kernel cannot tell: on a remote file system, or if the user has too many watches.
  package func watch(
    _ names: Set<String>, in folder: String, changed: @escaping @Sendable () -> Void
  ) -> Registration? {
    guard !FileSystem.isRemote(folder) else { return nil }
    return state.withLock { state in
      guard let instance = open(&state) else { return nil }
      let mask = UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_ONLYDIR) | UInt32(IN_MASK_ADD)
      let kernelWatch = inotify_add_watch(instance, folder, mask)
      guard kernelWatch >= 0 else { return nil }
      state.lastID += 1
      let id = state.lastID
      state.watches[id] = Watch(folder: folder, names: names, changed: changed)
      Self.note(kernelWatch, of: id, &state)
      for name in names { Self.watchFile(name, of: id, instance, &state) }
      return Registration(watcher: self, id: id)
    }
  }

  /// A watch that ends when this object is released.
  package final class Registration: Sendable {
    private let watcher: FileWatcher
    private let id: Int

    fileprivate init(watcher: FileWatcher, id: Int) {
      self.watcher = watcher
      self.id = id
    }

    deinit { watcher.remove(id) }
  }

  /// The number of kernel watches; for tests.
  package var kernelWatchCount: Int { state.withLock { $0.users.count } }

  private func open(_ state: inout State) -> Int32? {
    if let instance = state.instance { return instance }
    let instance = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard instance >= 0 else { return nil }
    let source = DispatchSource.makeReadSource(fileDescriptor: instance, queue: queue)
    source.setEventHandler { [weak self] in self?.read(instance) }
    source.setCancelHandler { close(instance) }
    source.resume()
    state.instance = instance
    state.source = source
    return instance
  }

  private static func watchFile(_ name: String, of id: Int, _ instance: Int32, _ state: inout State) {
    guard let folder = state.watches[id]?.folder else { return }
    let kernelWatch = inotify_add_watch(instance, "\(folder)/\(name)", UInt32(IN_MODIFY) | UInt32(IN_MASK_ADD))
    if kernelWatch >= 0 { note(kernelWatch, of: id, &state) }
  }

  private static func note(_ kernelWatch: Int32, of id: Int, _ state: inout State) {
    state.users[kernelWatch, default: []].insert(id)
    state.watches[id]?.kernelWatches.insert(kernelWatch)
  }

  private func remove(_ id: Int) {
    state.withLock { state in
      guard let watch = state.watches.removeValue(forKey: id), let instance = state.instance else { return }
      for kernelWatch in watch.kernelWatches {
        state.users[kernelWatch]?.remove(id)
        guard state.users[kernelWatch]?.isEmpty == true else { continue }
        state.users[kernelWatch] = nil
        inotify_rm_watch(instance, kernelWatch)
      }
    }
  }

  // MARK: Events

  private func read(_ instance: Int32) {
    let changed = state.withLock { state in
      var changed: Set<Int> = []
      withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 16) { buffer in
        while let start = buffer.baseAddress, case let count = readBytes(instance, start, buffer.count), count > 0 {
          Self.note(UnsafeRawBufferPointer(rebasing: buffer[..<count]), instance, &state, &changed)
        }
      }
      return changed.compactMap { state.watches[$0]?.changed }
    }
    for body in changed { body() }
  }

  private static func note(
    _ events: UnsafeRawBufferPointer, _ instance: Int32, _ state: inout State, _ changed: inout Set<Int>
  ) {
    let size = MemoryLayout<inotify_event>.size
    var offset = 0
    while offset + size <= events.count {
      let event = events.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
      let nameBytes = events[(offset + size)..<min(offset + size + Int(event.len), events.count)]
      offset += size + Int(event.len)
      if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
        changed.formUnion(state.watches.keys)
      } else if event.mask & UInt32(IN_IGNORED) != 0 {
        // The file is gone; the folder tells when there is a new one.
        for id in state.users.removeValue(forKey: event.wd) ?? [] {
          state.watches[id]?.kernelWatches.remove(event.wd)
        }
      } else if event.len > 0 {
        let name = String(decoding: nameBytes.prefix { $0 != 0 }, as: UTF8.self)
        for id in state.users[event.wd] ?? [] where state.watches[id]?.names.contains(name) == true {
          watchFile(name, of: id, instance, &state)
          changed.insert(id)
        }
      } else {
        changed.formUnion(state.users[event.wd] ?? [])
      }
    }
  }
}

/// The system's `read`; a method of the class has the same name.
private func readBytes(_ file: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
  read(file, buffer, count)
}

/// The mounted file systems, as the kernel lists them.
package enum FileSystem {
  /// File systems whose files other machines may write without this kernel's knowledge.
  private static let remote: Set<Substring> = [
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs",
  ]

  /// Whether other machines may write files of a folder; `false` if the kernel lists no mounts.
  static func isRemote(_ folder: String) -> Bool {
    KernelFile.text("/proc/self/mountinfo").map { isRemote(folder, mounts: $0) } ?? false
  }

  /// - Parameter mounts: the lines of `/proc/self/mountinfo`.
  package static func isRemote(_ folder: String, mounts: String) -> Bool {
    var longest: (place: String, type: Substring) = ("", "")
    for line in mounts.split(separator: "\n") {
      // Number, parent, device, root, mount point, …, "-", type, source, options.
      let fields = line.split(separator: " ")
      guard fields.count > 4, let dash = fields.lastIndex(of: "-"), dash + 1 < fields.count else { continue }
      let place = unescaped(fields[4])
      guard place == "/" || folder == place || folder.hasPrefix("\(place)/") else { continue }
      // Of two mounts on one place the later one is seen.
      if place.utf8.count >= longest.place.utf8.count { longest = (place, fields[dash + 1]) }
    }
    return remote.contains(longest.type) || longest.type.hasPrefix("fuse.")
  }

  /// A path in which the kernel has written blanks, line ends and backslashes as `\` and three octal digits.
  private static func unescaped(_ field: Substring) -> String {
    var (bytes, rest) = ([UInt8](), Array(field.utf8)[...])
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\"), let code = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8) {
        bytes.append(code)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
