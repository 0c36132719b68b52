package import Foundation
import TestSupport

/// The messages of an operation on a store while calls to the operating system fail: one call, or all from one call on.
package struct FaultMessages {
  /// A message, and a call whose failure it reports.
  package struct Message: Sendable {
    package let text: String
    package let call: String
  }

  /// The files of a store, with which each attempt begins.
  private let files: [String: Data]
  private let name: String

  /// - Parameter store: a closed store; the files of its folder are copied for each attempt.
  package init(_ store: URL) throws {
    let folder = store.deletingLastPathComponent()
    name = store.lastPathComponent
    files = try Dictionary(
      uniqueKeysWithValues: FileManager.default.contentsOfDirectory(atPath: folder.path).compactMap { name in
        let file = folder.appendingPathComponent(name)
        return try? (name, Data(contentsOf: file))
      })
  }

  /// The messages that name no file that the user knows, or no way out.
  ///
  /// - Parameters:
  ///   - stride: the distance between two calls that fail; `nil` for about ten attempts.
  ///   - prepare: makes what the operation needs, before anything fails.
  ///   - operation: uses the store; a closed connection is its own concern.
  /// - Returns: the messages without duplicates, with `PATH` in place of the store's path.
  package func unclear<World>(
    _ fault: FaultyFileSystem.Fault, stride step: Int? = nil, prepare: (URL) throws -> World,
    operation: (World, URL) throws -> Void
  ) throws -> [Message] {
    var found: [String: Message] = [:]
    let total = try attempt(fault, at: 0, isPersistent: false, prepare, operation).count
    for isPersistent in [false, true] {
      for number in Swift.stride(from: isPersistent ? 2 : 1, through: total, by: step ?? max(1, total / 10)) {
        guard let message = try attempt(fault, at: number, isPersistent: isPersistent, prepare, operation).message
        else { continue }
        if !Self.isClear(message.text), found[message.text] == nil { found[message.text] = message }
      }
    }
    return found.values.sorted { $0.text < $1.text }
  }

  private static func isClear(_ text: String) -> Bool {
    text.contains("PATH") && text.contains(" — ") && !text.contains("FOLDER") && !text.contains("/tmp/")
  }

  private func attempt<World>(
    _ fault: FaultyFileSystem.Fault, at number: Int, isPersistent: Bool, _ prepare: (URL) throws -> World,
    _ operation: (World, URL) throws -> Void
  ) throws -> (count: Int, message: Message?) {
    let place = try TemporaryStore(name: name)
    let disk = FaultyFileSystem(place.folder)
    for (name, data) in files { try data.write(to: place.folder.appendingPathComponent(name)) }
    let world = try prepare(place.url)
    disk.arm(fault, at: number, isPersistent: isPersistent)
    let result = Result { try operation(world, place.url) }
    disk.disarm()
    guard case .failure(let error) = result else { return (disk.count, nil) }
    let text = "\(error)".replacing(place.url.path, with: "PATH").replacing(place.folder.path, with: "FOLDER")
    let call = "\(fault) at \(disk.failures.first?.rawValue ?? "no call"), call \(number) of \(disk.count)"
    return (disk.count, Message(text: text, call: call))
  }
}
