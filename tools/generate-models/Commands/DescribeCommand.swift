import ArgumentParser
import Foundation
import ModelGenerator
import ToolConsole

/// Prints the chosen versions of a model as JSON.
struct DescribeCommand {
  var source: ModelSource
  var output: DocumentOutput
  var options: ModelGenerator.Options

  /// Reports the facts that the generator leaves out too. Describes a model even if no classes can be generated for it.
  /// - Throws: ``Failure`` if the input is wrong or the output cannot be written; `ExitCode(2)` if the description was
  ///   printed, but has errors.
  func run() throws {
    let input = try source.read(reporting: false)
    var diagnostics = input.diagnostics
    do {
      diagnostics += try source.generate(input, options: options).diagnostics
    } catch let failure as Failure {
      diagnostics += failure.diagnostics
    }
    try output.write(JSONText.encode(ModelDocument(input.versions, diagnostics: diagnostics)))
    if diagnostics.contains(where: { $0.severity == .error }) { throw ExitCode(2) }
  }
}
