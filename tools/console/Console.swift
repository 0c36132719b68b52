package import Foundation

/// The two streams that a run speaks to: results on standard output, all else on standard error.
package enum Console {
  package static func report(_ messages: [Message]) {
    guard !messages.isEmpty else { return }
    say(messages.map { $0.text(styled: .errors) }.joined(separator: "\n"))
  }

  /// A line on standard error, for the person who started the run.
  package static func say(_ text: String) {
    Progress.shared.clear()
    // Where standard error is a full disk, there is nobody to tell.
    try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
  }

  /// Writes a result as it is.
  /// - Throws: ``Failure`` if the stream takes no more, as a file on a full disk does.
  package static func write(_ data: Data) throws {
    Progress.shared.clear()
    do {
      try FileHandle.standardOutput.write(contentsOf: data)
    } catch {
      throw Failure(
        URL(fileURLWithPath: "/dev/stdout"), "the output cannot be written: \(Failure.reason(error))",
        remedy: "see that the disk has room")
    }
  }

  package static func print(_ text: String) throws { try write(Data((text + "\n").utf8)) }

  package static func print(json value: some Encodable) throws { try write(JSONText.encode(value)) }
}
