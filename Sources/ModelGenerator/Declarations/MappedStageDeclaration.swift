/// The part of a migration stage that carries out a mapping model.
///
/// Before the stage, the values that its expressions need are read into rows. After it, they are set in the new objects.
struct MappedStageDeclaration: Sendable, Hashable {
  /// The mapping model's name.
  var mapping: String
  /// In the order of the mapping model; only mappings that need code.
  var entities: [EntityDeclaration]
  /// Functions that the developer writes.
  var stubs: [StubDeclaration]
  /// Modules of the types in rows.
  var modules: Set<String>
  /// Whether a row is found by its key, because its entity has another name before the stage.
  var usesRowKeys: Bool { entities.contains { if case .renamed = $0.origin { true } else { false } } }

  /// One entity mapping.
  struct EntityDeclaration: Sendable, Hashable {
    var comment: String
    var row: RowDeclaration?
    /// The variable that leads from the identifier of a source row to the new object; `nil` if there is none.
    var table: String?
    /// The class of the new objects; `nil` if the mapping leaves its rows out.
    var destination: String?
    var origin: Origin
    /// Whether rows that the filter leaves out are deleted.
    var isFiltered = false
    /// Statements for each `row` and its `object`.
    var assignments: [String] = []
    /// The function that does what a policy class did, without its arguments.
    var policy: String?
  }

  /// How the new objects come about.
  enum Origin: Sendable, Hashable {
    /// The stage keeps the rows and their identifiers.
    case kept
    /// The stage keeps the rows; the identifiers have another entity name.
    case renamed
    /// An expression that makes the object of a `row`.
    case inserted(String)
    case none
  }

  /// The values of a source row that outlive the stage.
  struct RowDeclaration: Sendable, Hashable {
    var name: String
    /// The variable that holds all rows.
    var variable: String
    var source: String
    /// Whether the class has subclasses, whose objects other mappings carry over.
    var isExact: Bool
    /// The condition of `#Predicate` on the source object.
    var condition: String?
    /// The function that decides on a row instead of a condition.
    var filter: String?
    var fields: [Field]

    struct Field: Sendable, Hashable {
      var name: String
      var type: String
      /// The value in terms of the source `object`.
      var value: String
    }
  }

  /// A function without a body.
  struct StubDeclaration: Sendable, Hashable {
    var comments: [String]
    var name: String
    var parameters: [String]
    var result: String?
    /// What is not written yet, for the error.
    var reason: String
  }
}
