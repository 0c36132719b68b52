import CFuzzer
import Foundation

/// `fuzz xml|archive|store [options and corpora of libFuzzer]`, and `fuzz seeds MODELS FOLDER`, which makes the first inputs.
@main
enum Fuzz {
  static func main() throws {
    var arguments = CommandLine.arguments
    // libFuzzer starts the program again for some of its work, with its own arguments alone.
    var verb = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    if arguments.count > 1, ["xml", "archive", "store", "seeds"].contains(arguments[1]) {
      verb = arguments.remove(at: 1)
    }
    setenv("FUZZ_TARGET", verb, 1)
    switch verb {
    case "xml": exit(run(arguments) { readXML(inputBytes($0, $1)) })
    case "archive": exit(run(arguments) { readArchive(inputBytes($0, $1)) })
    case "store":
      template = try StoreTemplate()
      exit(run(arguments) { useStore(inputBytes($0, $1)) })
    case "seeds" where arguments.count == 3:
      try makeSeeds(of: URL(fileURLWithPath: arguments[1]), in: URL(fileURLWithPath: arguments[2]))
    default: throw Usage()
    }
  }

  private struct Usage: Error, CustomStringConvertible {
    let description = "use: fuzz xml|archive|store [OPTION | CORPUS]… — or: fuzz seeds MODELS FOLDER"
  }

  private typealias Test = @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt

  /// Runs libFuzzer, which ends the program at the first input that makes the test trap, hang, or take too much memory.
  private static func run(_ arguments: [String], _ test: Test) -> CInt {
    var count = CInt(arguments.count)
    var copies = arguments.map { strdup($0) } + [nil]
    return copies.withUnsafeMutableBufferPointer { buffer in
      var start = buffer.baseAddress
      return LLVMFuzzerRunDriver(&count, &start, test)
    }
  }
}

private func inputBytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Data {
  Data(UnsafeBufferPointer(start: start, count: count))
}
