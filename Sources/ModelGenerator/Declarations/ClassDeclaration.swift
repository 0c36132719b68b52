/// A model class nested in its schema's namespace.
struct ClassDeclaration: Sendable, Hashable {
  var comments: [String]
  var name: String
  var superclass: String?
  /// Whether the class has no subclass.
  var isFinal: Bool
  /// The arguments of `@Model`.
  var arguments: [Argument]
  /// `#Unique` and `#Index`, in that order; each is absent if it has no arguments.
  var macros: [MacroDeclaration]
  var properties: [PropertyDeclaration]
  var initializer: InitializerDeclaration
}

/// A freestanding macro on the class's own type: `#Unique<Book>([\.isbn])`.
struct MacroDeclaration: Sendable, Hashable {
  var name: String
  var arguments: [Argument]
}

/// A stored property of a class or of a composite's structure.
struct PropertyDeclaration: Sendable, Hashable {
  var comments: [String] = []
  var attribute: AttributeDeclaration?
  var name: String
  var type: TypeReference
  var initialValue: Expression?
  /// Whether the initializer takes the property's value.
  var isParameter = false
}

/// `@Attribute(…)`, `@Relationship(…)` or `@Transient`.
struct AttributeDeclaration: Sendable, Hashable {
  var name: String
  var arguments: [Argument] = []
}

/// An initializer that assigns its parameters to properties of the same names.
struct InitializerDeclaration: Sendable, Hashable {
  /// Whether a superclass declares an initializer of the same signature.
  var isOverride = false
  /// The parameters of the superclass come first.
  var parameters: [Parameter]
  /// Names of the properties that this class assigns itself.
  var assigned: [String]
  /// The names of the parameters that are passed to `super.init`; `nil` if there is no superclass.
  var passedToSuperclass: [String]?

  struct Parameter: Sendable, Hashable {
    var name: String
    var type: TypeReference
    var defaultValue: Expression?
  }
}
