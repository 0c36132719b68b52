/// The part of a migration stage that carries out a mapping model.
///
/// Before the stage, the values that its expressions need are read into rows. After it, they are set in the new objects.
struct MappedStageDeclaration: Sendable, Hashable {
  /// The mapping model's name.
  var mapping: String
  /// In the order of the mapping model; only mappings that need code.
  var entities: [EntityDeclaration]
  /// Classes whose objects the stage carries over, and no entity mapping takes.
  var unmapped: [DepartureDeclaration]
  /// Functions that the developer writes.
  var stubs: [StubDeclaration]
  /// Functions that statements call.
  var helpers: Set<Helper>
  /// Modules of the types in rows and statements.
  var modules: Set<String>
  /// Whether a row is found by its key, because its entity has another name before the stage.
  var usesRowKeys: Bool { entities.contains { if case .renamed = $0.origin { true } else { false } } }

  /// One entity mapping.
  struct EntityDeclaration: Sendable, Hashable {
    var comment: String
    var row: RowDeclaration?
    /// The variable that leads from the identifier of a source row to the new object; `nil` if nothing looks an object up.
    var table: String?
    /// The class of the new objects; `nil` if the mapping leaves its rows out.
    var destination: String?
    var origin: Origin
    /// The deletion of rows that the filter leaves out; `nil` without a filter.
    var filtered: FilterDeclaration?
    /// Statements for each `object` that clear links which the stage carries over. They come before all assignments.
    var resets: [String] = []
    /// Statements for each `row` and its `object`.
    var assignments: [String] = []
    /// The function that does what a policy class did, without its arguments.
    var policy: String?
  }

  /// How the new objects come about.
  enum Origin: Sendable, Hashable {
    /// The stage keeps the rows and their identifiers.
    case kept
    /// The stage keeps the rows; the identifiers have another entity name. The variable leads from keys to identifiers.
    case renamed(keys: String)
    /// An expression that makes the object of a row, which it may name `row`.
    case inserted(String, readsRow: Bool)
    case none
  }

  /// The deletion of objects that the stage carries over and the mapping model leaves behind.
  struct DepartureDeclaration: Sendable, Hashable {
    var destination: String
    /// Whether the class has subclasses, whose objects are none of the mapping's.
    var isExact: Bool
    /// Statements that detach an `object` from all that its delete rules would reach.
    var statements: [String]
  }

  struct FilterDeclaration: Sendable, Hashable {
    var departure: DepartureDeclaration
    /// The variable with the identifiers of the rows that stay.
    var taken: String
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

  /// A function of the stage that fails instead of changing a value.
  enum Helper: String, Sendable, Hashable, CaseIterable {
    /// Computes with integers.
    case computed
    /// Divides numbers.
    case quotient
    /// Converts a value to another type.
    case converted
    /// Unwraps a value.
    case required

    /// The name of the error that all of them throw.
    static let error = "Unfit"
  }
}
