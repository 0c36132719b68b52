import ErrorReporting
package import Foundation
import Synchronization

/// The two streams of a run: results go to standard output, all other text to standard error.
package enum Console {
  package static func report(_ messages: [Message]) {
    guard !messages.isEmpty else { return }
    say(messages.map { $0.text(styled: .errors) }.joined(separator: "\n"))
  }

  /// Writes a line to standard error, for the person who started the run.
  package static func say(_ text: String) {
    Progress.shared.clear()
    // If standard error is a file on a full disk, no message can reach the user.
    try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
  }

  /// Writes a result unchanged.
  /// - Throws: ``Failure`` if the stream accepts no more bytes, for example a file on a full disk.
  package static func write(_ data: Data) throws { try OpenFile.output.write(data) }

  private static let saved = Mutex<String?>(nil)

  /// Records what the run has saved for good. If its summary cannot be written afterwards, the error says so.
  ///
  /// - Parameter words: a clause, such as `the objects are saved in Library.sqlite`.
  package static func noteSaved(_ words: String) { saved.withLock { $0 = onOneLine(words) } }

  /// What the run has saved; `nil` until then.
  static var savedWork: String? { saved.withLock { $0 } }

  /// Whether a part of a result has been written to standard output.
  package static var hasOutput: Bool { OpenFile.hasOutput.load(ordering: .relaxed) }

  /// Ignores the signals of a file that may not grow and of a closed pipe. They would end the program without a
  /// message; instead, writing fails with an error.
  package static func ignoreTerminatingSignals() {
    for number in [SIGXFSZ, SIGPIPE] { signal(number, SIG_IGN) }
  }

  /// Prints a text that is the whole output, such as a help page, and ends the program.
  package static func end(with text: String) -> Never {
    do {
      if !text.isEmpty { try print(text) }
      exit(EXIT_SUCCESS)
    } catch {
      let failure = error as? Failure
      report(failure?.diagnostics ?? [])
      exit(failure?.status ?? EXIT_FAILURE)
    }
  }

  package static func print(_ text: String) throws { try write(Data((text + "\n").utf8)) }

  package static func print(json value: some Encodable) throws { try write(JSONText.encode(value)) }
}
