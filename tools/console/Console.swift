package import Foundation
import Synchronization

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
  package static func write(_ data: Data) throws { try OpenFile.output.write(data) }

  /// Whether a part of a result stands on standard output already.
  package static var hasOutput: Bool { OpenFile.hasOutput.load(ordering: .relaxed) }

  /// Makes errors of what would end the program without a trace of why: a file that may not grow, a reader that is gone.
  package static func ignoreTerminatingSignals() {
    for number in [SIGXFSZ, SIGPIPE] { signal(number, SIG_IGN) }
  }

  /// Prints a text that is all there is to say, such as a help page, and ends the program.
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
