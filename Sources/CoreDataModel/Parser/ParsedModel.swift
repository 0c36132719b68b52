package import ManagedModel

/// The model that the bytes of one file describe, with its problems.
package struct ParsedModel: Sendable {
  package var model: ModelDescription
  /// In order of lines. If one of them is an error, the model differs from the file or is unsound.
  package var diagnostics: [Diagnostic]
  package var locations: SourceLocations

  package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
}

/// The lines on which a model's parts are declared, for messages of later stages.
package struct SourceLocations: Sendable, Hashable {
  package let file: String
  private var lines: [Declaration: Int] = [:]

  private struct Declaration: Sendable, Hashable {
    var subject: ModelIssue.Subject
    var name: String
    var entity: String?
  }

  package init(file: String) { self.file = file }

  /// The line of an entity, or of its own property. An undeclared property has the line of its entity; an undeclared
  /// entity has line 1.
  package func line(ofEntity entity: String, property: String? = nil) -> Int {
    property.flatMap { lines[Declaration(subject: .property, name: $0, entity: entity)] }
      ?? line(of: .entity, entity)
  }

  /// The line of a fetch request template; 1 for an undeclared one.
  package func line(ofFetchRequest name: String) -> Int { line(of: .fetchRequest, name) }

  /// The line of a configuration; 1 for an undeclared one.
  package func line(ofConfiguration name: String) -> Int { line(of: .configuration, name) }

  /// The line of a declaration; if it is not recorded, the line of its entity, or 1.
  func line(of subject: ModelIssue.Subject, _ name: String, in entity: String? = nil) -> Int {
    let owner = subject == .entity ? nil : entity
    return lines[Declaration(subject: subject, name: name, entity: owner)]
      ?? owner.flatMap { lines[Declaration(subject: .entity, name: $0)] } ?? 1
  }

  /// Records the line of a declaration. For a repeated name the last line counts, because diagnostics report the
  /// repetition.
  mutating func record(_ subject: ModelIssue.Subject, _ name: String, in entity: String? = nil, line: Int) {
    lines[Declaration(subject: subject, name: name, entity: entity)] = line
  }
}
