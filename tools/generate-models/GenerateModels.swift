public import ArgumentParser
import Foundation
public import ModelGenerator

/// The command line of the generator: flags in, exit code out.
@main
struct GenerateModels: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate-models",
    abstract: "Turns a Core Data model into versioned SwiftData source.",
    discussion: """
      INPUT is an .xcdatamodeld bundle or a single .xcdatamodel. For each version a file with its schema and classes is \
      written to the output folder, and beside them the migration plan and aliases for the current version's classes.

      Files that the tool generated before are replaced, all of them or none. A file of a person is never touched: \
      the steps of the migration plan that have to be written by hand are begun once and then left alone.

      EXAMPLE
        generate-models Library.xcdatamodeld --output Sources/LibraryModel

      EXIT CODES
        0  done
        2  the input is wrong, or the files cannot be written; nothing has changed
        64 the command line is wrong
      """)

  @Argument(help: "The model to read: an .xcdatamodeld or .xcdatamodel folder.")
  var input: String

  @Option(name: .shortAndLong, help: "The folder to write to; it is made if it does not exist.")
  var output: String

  @Option(help: "Whose API the source is written for: this package's, which loses nothing, or Apple's alone.")
  var dialect: ModelGenerator.Dialect = .open

  @Option(help: "Who sees the generated declarations.")
  var access: ModelGenerator.AccessLevel = .internal

  func validate() throws {
    if input.isEmpty { throw ValidationError("INPUT is empty: name the model to read.") }
    if output.isEmpty { throw ValidationError("The output folder's name is empty: name the folder to write to.") }
  }

  func run() throws {
    do {
      let model = try ModelInput.read(URL(fileURLWithPath: input))
      Console.report(model.diagnostics)
      let generator = ModelGenerator(options: ModelGenerator.Options(dialect: dialect, access: access))
      let generated = try model.generate(with: generator)
      Console.report(generated.diagnostics)
      let folder = OutputFolder(URL(fileURLWithPath: output, isDirectory: true), source: model.versions.source)
      let summary = try folder.write(generated.files)
      Console.report(summary.orphans)
      print(summary.description)
    } catch let failure as Failure {
      Console.report(failure.diagnostics)
      throw ExitCode(2)
    }
  }
}

extension ModelGenerator.Dialect: ExpressibleByArgument {}
extension ModelGenerator.AccessLevel: ExpressibleByArgument {}
