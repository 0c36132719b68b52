/// A fact of the model that the generated source does not express, or expresses in another way.
package struct GeneratorNote: Sendable, Hashable {
  /// The importance of the note.
  package var severity: Severity
  /// The name of the model version, for example `Library 3`.
  package var version: String
  /// The entity; `nil` if the note is about the whole model.
  package var entity: String?
  /// The property of the entity; `nil` if the note is not about a property.
  package var property: String?
  /// What the note is about, if ``what`` names it; `nil` for ``entity`` and ``property``.
  package var place: Place?
  /// The fact that is not expressed, as a phrase without a full stop.
  package var what: String
  /// The remedy, as a phrase without a full stop.
  package var remedy: String

  /// A declaration of the model.
  package enum Place: Sendable, Hashable {
    case entity(String, property: String?)
    case fetchRequest(String)
    case configuration(String)
  }

  /// A warning means a change of the stored data or of an entity's hash; a note does not.
  package enum Severity: String, Sendable, Hashable {
    /// The stored data of the generated classes differs from the model.
    case warning
    /// The generated classes store the same data, but lack a feature of the model.
    case note
  }

  /// The beginning of comments and diagnostics: `Book.isbn: what`.
  package var subject: String {
    switch (entity, property) {
    case (let entity?, let property?): "\(entity).\(property): \(what)"
    case (let entity?, nil): "\(entity): \(what)"
    default: what
    }
  }
}
