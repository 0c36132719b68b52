import ErrorReporting
package import Foundation
import ManagedModel

/// Turns the `contents` of an `.xcdatamodel` into a model description: a function from bytes to values, without I/O.
///
/// Each kind of element has its own file, `ModelParser+Notion.swift`. The parser collects problems and goes on, so that
/// one run shows all of them. It throws only if the file is not a model.
package struct ModelParser {
  let fileName: String
  var locations: SourceLocations
  private var diagnostics: [Diagnostic] = []

  /// The largest number of problems that the parser lists for one file.
  private static let diagnosticLimit = 500

  /// Reads a model file.
  ///
  /// Cost: time linear in the number of bytes.
  /// - Parameter fileName: the file's name in diagnostics; the parser does not open it.
  /// - Throws: ``ModelReadingError`` if the bytes are not a model in XML.
  package static func parse(_ bytes: Data, fileName: String) throws(ModelReadingError) -> ParsedModel {
    let parser = ModelParser(fileName: fileName)
    return parser.parsed(try parser.readTree(bytes))
  }

  /// Reads the archive of Xcode's model editor: the `elements` file of Xcode 3, or a model inside a mapping model.
  ///
  /// Cost: time linear in the number of bytes.
  /// - Parameter fileName: the file's name in diagnostics; the parser does not open it.
  /// - Throws: ``ModelReadingError`` if the bytes are no such archive.
  package static func parse(archive bytes: Data, fileName: String) throws(ModelReadingError) -> ParsedModel {
    var parser = ModelParser(fileName: fileName)
    do {
      let (root, omissions) = try EditorArchive.tree(bytes)
      for omission in omissions { parser.report(.warning, 1, omission.problem, omission.remedy) }
      return parser.parsed(root)
    } catch {
      throw parser.unreadable(
        EditorArchive.problem(of: error),
        "restore it from version control, or compile the model with momc and give the .mom")
    }
  }

  private consuming func parsed(_ root: XMLElement) -> ParsedModel {
    var parser = self
    parser.reportUnknown(in: root)
    let model = parser.model(root)
    parser.checkSoundness(of: model)
    let diagnostics = parser.diagnostics.enumerated()
      .sorted { ($0.element.line, $0.offset) < ($1.element.line, $1.offset) }.map(\.element)
    return ParsedModel(model: model, diagnostics: diagnostics, locations: parser.locations)
  }

  private init(fileName: String) {
    self.fileName = fileName
    locations = SourceLocations(file: fileName)
  }

  private func readTree(_ bytes: Data) throws(ModelReadingError) -> XMLElement {
    if bytes.starts(with: Data("bplist".utf8)) {
      throw unreadable("the file is a binary archive, not XML", "save the model in Xcode 4 or later, which writes XML")
    }
    let root: XMLElement
    do {
      root = try XMLReader.read(bytes)
    } catch {
      throw unreadable(error.problem, error.remedy, line: error.line)
    }
    guard root.name == "model" else {
      throw unreadable(
        "the root element is \(quoted(root.name)), not “model”",
        "give the “contents” file of an .xcdatamodel", line: root.line)
    }
    return root
  }

  private func unreadable(_ problem: String, _ remedy: String?, line: Int = 1) -> ModelReadingError {
    ModelReadingError([Diagnostic(.error, file: fileName, line: line, problem: problem, remedy: remedy)])
  }

  mutating func report(_ severity: Diagnostic.Severity, _ line: Int, _ problem: String, _ remedy: String?) {
    // Lists the first error even after many warnings, so that a file with errors always shows one.
    let isListed = diagnostics.count < Self.diagnosticLimit || severity == .error && !hasErrors
    if isListed {
      diagnostics.append(Diagnostic(severity, file: fileName, line: line, problem: problem, remedy: remedy))
    } else if diagnostics.count == Self.diagnosticLimit {
      diagnostics.append(
        Diagnostic(
          .warning, file: fileName, line: line, problem: "the file has more problems, which are not listed",
          remedy: "correct those that are listed first"))
    }
  }

  /// The number of suggestions left for this file. A search compares a name with all names of the model, which is slow
  /// in a large model, so only the first 50 wrong names of a file get a suggestion.
  private var suggestionsLeft = 50

  /// ` (did you mean “nearest”?)`, or nothing.
  mutating func didYouMean(_ name: String, among candidates: some Sequence<String>) -> String {
    guard suggestionsLeft > 0 else { return "" }
    suggestionsLeft -= 1
    return suggestion(nearestName(to: name, in: candidates))
  }

  var linesWithErrors: Set<Int> { Set(diagnostics.filter { $0.severity == .error }.map(\.line)) }

  private var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
}
