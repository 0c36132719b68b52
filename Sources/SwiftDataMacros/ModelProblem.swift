import SwiftDiagnostics
import SwiftSyntax

/// A problem of a model class, and its remedy.
enum ModelProblem: DiagnosticMessage {
  case notAClass(String)
  case generic
  case missingInitializer(String)
  case backingDataInSubclass(String)
  case constant(String)
  case overriding(String)
  case lazy(String)
  case weakReference(String)
  case unownedReference(String)
  case observers(String)
  case wrapper(String, String)
  case equalityWithoutConformance(String)
  case severalBindings
  case tuplePattern
  case reservedName(String)
  case metatypeName(String)
  case hiddenName(String, type: String)
  case setRelationship
  case bothAnnotations
  case repeatedAnnotation(String)
  case conditionalTransient
  case typeWithoutColumn(String, String)
  case transientWithoutValue(String)
  case annotatedTransient(String)
  case missingType(String)
  case fetchedWithoutType
  case queryWithoutType
  case localQuery
  case observedQuery
  case compositeIsNoStructure(String)
  case notAnActor(String)
  case actorPropertyWithoutValue(String)

  var message: String {
    switch self {
    case .notAClass(let kind): "@Model makes classes persistent: it cannot stand on \(kind)"
    case .generic: "a generic class cannot be a model: a store has one entity per class"
    case .missingInitializer(let name):
      "@Model requires an initializer be provided for '\(name)': write init(…) that takes the values of a new object"
    case .backingDataInSubclass(let name):
      """
      '\(name)' has a model as its superclass, which keeps the values: assign its properties in place of '_$backingData' and \
      '_SwiftDataNoType'
      """
    case .constant(let name):
      """
      the constant '\(name)' cannot be persisted in the Swift 6 language mode: make it 'private(set) var', so that \
      an object can take the value of its row
      """
    case .overriding(let name):
      "the superclass persists '\(name)', a subclass cannot persist it again: assign it in init, or override it with a computed property"
    case .lazy(let name):
      "the lazy property '\(name)' cannot be persisted: remove 'lazy' and give it a value, or mark it @Transient"
    case .weakReference(let name):
      "'weak' has no effect on '\(name)', which is persisted: remove it, or mark the property @Transient"
    case .unownedReference(let name):
      "the unowned reference '\(name)' cannot be persisted: a relationship is a plain 'var'"
    case .observers(let name):
      """
      the observers of '\(name)' never run, since its accessors are generated: use a computed property beside it, or \
      mark it @Transient
      """
    case .wrapper(let name, let wrapper):
      """
      '@\(wrapper)' cannot stand on the persisted property '\(name)', whose accessors are generated: remove it, or mark \
      the property @Transient
      """
    case .equalityWithoutConformance(let name):
      "'\(name)' declares '==': add ': Equatable' to the class"
    case .severalBindings: "one 'var' declares several persisted properties: declare each by itself"
    case .tuplePattern: "a persisted property needs a name of its own: declare each part of the tuple by itself"
    case .reservedName(let name):
      "'\(name)' is the name of a method of Core Data's objects: choose another, and keep a stored name with @Attribute(originalName:)"
    case .metatypeName(let name):
      "a key path cannot name the property '\(name)', because Swift reads '.\(name)' as a metatype: choose another name, and keep a stored name with @Attribute(originalName:)"
    case .hiddenName(let name, let type):
      """
      where a Bool fits, '\(name)' is the member of every model and not this property of type '\(type)': choose another \
      name, and keep a stored name with @Attribute(originalName:)
      """
    case .setRelationship: "a to-many relationship is an array: write '[Model]' in place of 'Set<Model>'"
    case .bothAnnotations: "a property is an attribute or a relationship: keep one of @Attribute and @Relationship"
    case .repeatedAnnotation(let name): "@\(name) stands twice: write all options in one @\(name)"
    case .conditionalTransient:
      "a property is persisted in every branch of #if, or in none: put the whole property into each branch"
    case .typeWithoutColumn(let name, let kind):
      "'\(name)' cannot be persisted, since \(kind) is not Codable: store a Codable structure, or mark it @Transient"
    case .transientWithoutValue(let name):
      "the @Transient property '\(name)' needs a default value: an object has it when it is read from the store"
    case .annotatedTransient(let name): "@\(name) has no effect on a @Transient property, which is not stored"
    case .missingType(let name): "'\(name)' needs a type or an initial value"
    case .fetchedWithoutType: "a @FetchedProperty is a plain 'var' of type '[Model]' without value: write its type"
    case .queryWithoutType:
      "a @Query is a plain 'var' of type '[Model]' or 'SectionedResults<Model, Title>' without value: write its type"
    case .localQuery:
      """
      @Query cannot stand on a local variable: make it a property of a type, or fetch with ModelContext.fetch(_:), or follow the \
      results with a ResultsObserver
      """
    case .observedQuery:
      """
      in a class with @Observable, write '@Query @ObservationIgnored var …' in this order: otherwise the macros get in each other's way, \
      and the results are observed without @Observable
      """
    case .compositeIsNoStructure(let kind):
      "@Composite says how the parts of a value are stored: it cannot stand on \(kind), only on a structure"
    case .notAnActor(let kind): "@ModelActor gives an actor a context of its own: it cannot stand on \(kind)"
    case .actorPropertyWithoutValue(let name):
      """
      '\(name)' needs a value: give it one, or write an initializer that sets '\(name)', 'modelContainer' and \
      'modelExecutor'
      """
    }
  }

  var diagnosticID: MessageID {
    let name = String(describing: self).prefix { $0 != "(" }
    return MessageID(domain: "SwiftDataMacros", id: String(name))
  }

  var severity: DiagnosticSeverity {
    switch self {
    // Apple's macro says nothing of observers, of 'weak' and of hidden names, so there are programs with them.
    case .annotatedTransient, .observers, .weakReference, .hiddenName: .warning
    default: .error
    }
  }

  /// A diagnostic at a node, with the fix-its that there are.
  func at(_ node: some SyntaxProtocol, _ fixIts: FixIt?...) -> Diagnostic {
    Diagnostic(node: node, message: self, fixIts: fixIts.compactMap { $0 })
  }
}
