package import ManagedModel

/// What the bytes of one model file say.
package struct ParsedModel: Sendable {
  package var model: ModelDescription
  /// In order of lines. With an error among them, the model is not what the file says, or is unsound.
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

  /// The line of an entity, or of one of its own properties; 1 for what the file does not declare.
  package func line(ofEntity entity: String, property: String? = nil) -> Int {
    property.flatMap { lines[Declaration(subject: .property, name: $0, entity: entity)] }
      ?? line(of: .entity, entity)
  }

  /// The line of a declaration, else of the entity it belongs to, else 1.
  func line(of subject: ModelIssue.Subject, _ name: String, in entity: String? = nil) -> Int {
    let owner = subject == .entity ? nil : entity
    return lines[Declaration(subject: subject, name: name, entity: owner)]
      ?? owner.flatMap { lines[Declaration(subject: .entity, name: $0)] } ?? 1
  }

  /// Notes a declaration; of two with one name, the second is the one to report.
  mutating func record(_ subject: ModelIssue.Subject, _ name: String, in entity: String? = nil, line: Int) {
    lines[Declaration(subject: subject, name: name, entity: entity)] = line
  }
}
