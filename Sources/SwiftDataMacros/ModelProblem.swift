import SwiftDiagnostics
import SwiftSyntax

/// What can be wrong with a model class, and what to do about it.
enum ModelProblem: DiagnosticMessage {
  case notAClass(String)
  case generic
  case missingInitializer(String)
  case constant
  case lazy
  case reference
  case observers
  case severalBindings
  case tuple
  case reservedName(String)
  case setRelationship
  case bothAnnotations
  case transientWithoutValue
  case missingType(String)
  case fetchedWithoutType
  case compositeIsNoStructure(String)

  var message: String {
    switch self {
    case .notAClass(let kind): "@Model makes persistent objects: it stands on a class, not on \(kind)"
    case .generic: "a generic class cannot be a model: a store has one entity per class"
    case .missingInitializer(let name):
      "@Model requires an initializer be provided for '\(name)': write init(…) that takes the values of a new object"
    case .constant:
      "a constant cannot be persisted, since reading an object gives it its value: make it 'var', or 'private(set) var'"
    case .lazy: "a lazy property cannot be persisted: give it a default value, or mark it @Transient"
    case .reference: "a weak or unowned reference cannot be persisted: a relationship is a plain property"
    case .observers:
      "willSet and didSet do not work on a persisted property: use a computed property beside it, or mark it @Transient"
    case .severalBindings: "persisted properties are declared one by one: write a 'var' for each"
    case .tuple: "a persisted property needs a name of its own: declare the parts of the tuple one by one"
    case .reservedName(let name):
      "'\(name)' is the name of a method of Core Data's objects: choose another, and keep a stored name with @Attribute(originalName:)"
    case .setRelationship: "a to-many relationship is an array: write '[Model]' in place of 'Set<Model>'"
    case .bothAnnotations: "a property is an attribute or a relationship: keep one of @Attribute and @Relationship"
    case .transientWithoutValue:
      "a @Transient property needs a default value, which an object has when it is read from the store"
    case .missingType(let name): "'\(name)' needs a type or an initial value"
    case .fetchedWithoutType: "a @FetchedProperty is a plain 'var' of type '[Model]' without value: write its type"
    case .compositeIsNoStructure(let kind):
      "@Composite says how the parts of a value are stored: it stands on a structure, not on \(kind)"
    }
  }

  var diagnosticID: MessageID {
    let name = String(describing: self).prefix { $0 != "(" }
    return MessageID(domain: "SwiftDataMacros", id: String(name))
  }

  var severity: DiagnosticSeverity { .error }

  func at(_ node: some SyntaxProtocol) -> Diagnostic {
    Diagnostic(node: node, message: self)
  }
}
