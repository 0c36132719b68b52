import ErrorReporting
import Foundation

/// Checks of a command line's words before they are parsed.
package enum CommandLineWords {
  /// Ends the program with status 2 if an argument is not UTF-8.
  ///
  /// Foundation takes only paths in UTF-8. It would repair other bytes, and so lead to another file, or make one.
  package static func requireUTF8() {
    let arguments = (0..<Int(CommandLine.argc)).lazy.compactMap { CommandLine.unsafeArgv[$0] }
    for argument in arguments.dropFirst() where String(validatingCString: argument) == nil {
      let bytes = UnsafeBufferPointer(start: argument, count: strlen(argument)).map(UInt8.init(bitPattern:))
      Console.report([
        Message(
          severity: .error, file: (CommandLine.arguments.first ?? "").split(separator: "/").last.map(String.init) ?? "",
          line: nil, problem: "the argument “\(escaped(bytes))” is not UTF-8",
          remedy: "rename the file or folder, or give a link to it that has a name in UTF-8")
      ])
      exit(2)
    }
  }

  /// The text with each byte that is not printable ASCII as `\xE9`.
  private static func escaped(_ bytes: [UInt8]) -> String {
    bytes.map {
      (0x20..<0x7F).contains($0) ? String(UnicodeScalar($0)) : "\\x" + String($0, radix: 16, uppercase: true)
    }
    .joined()
  }

  /// What is wrong with the path of a file that a run may write: it ends as a folder's does; else `nil`.
  ///
  /// A URL loses such an end, and so the path of a folder that is missing would become that of a file. The words continue
  /// "The value 'x/' is invalid: ".
  package static func problem(ofFile path: String) -> String? {
    guard let end = path.split(separator: "/", omittingEmptySubsequences: false).last, ["", ".", ".."].contains(end),
      !DatabaseAddress.isAddress(path)
    else { return nil }
    return "it ends as a folder's path does, but a file is meant: end it with the file's name."
  }

  /// A sentence about a file whose name begins with a dash, and which the parser has taken for an option; else `nil`.
  ///
  /// A file counts that exists, if the parser refuses the command line. The parser finds an `-h` in a name such as `-house.sqlite`, and
  /// answers with the help: such a name counts if nothing else asks for help.
  ///
  /// - Parameter status: the status that the parser ends the program with.
  package static func fileTakenForOption(in arguments: some Sequence<String>, status: Int32) -> String? {
    let words = arguments.prefix { $0 != "--" }
    let file: String?
    switch status {
    case EXIT_SUCCESS:
      guard words.first != "help", !words.contains(where: { ["-h", "-help"].contains($0) || $0.hasPrefix("--help") })
      else { return nil }
      file = words.first { $0.hasPrefix("-") && !$0.hasPrefix("--") && $0.contains("h") }
    case EX_USAGE:
      file = words.first { $0.hasPrefix("-") && $0.count > 1 && FileManager.default.fileExists(atPath: $0) }
    default: return nil
    }
    return file.map { "'\(onOneLine($0))' is taken for an option: write './\(onOneLine($0))'." }
  }

  /// A sentence about the first long option that is none of `names`, if another one is near; else `nil`.
  ///
  /// The parser reports a missing argument before an unknown option, and so asks for the option that was misspelled.
  package static func misspelledOption(in arguments: some Sequence<String>, names: [String]) -> String? {
    for argument in arguments.prefix(while: { $0 != "--" }) where argument.hasPrefix("--") {
      let name = String(argument.prefix { $0 != "=" })
      guard !names.contains(name) else { continue }
      return nearestName(to: name, in: names).map { "Unknown option '\(name)'. Did you mean '\($0)'?" }
    }
    return nil
  }
}
