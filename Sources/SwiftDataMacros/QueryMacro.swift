import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Query`: a getter, and the stored query beside the property that it reads.
enum QueryMacro {
  static var formatMode: FormatMode { .disabled }

  /// Whether the variable stands in the body of a function, closure or accessor: the compiler cannot use a variable that a macro adds
  /// beside a local one. It does not tell macros of a getter that is written without `get`.
  private static func isLocal(in context: some MacroExpansionContext) -> Bool {
    guard let scope = context.lexicalContext.first else { return false }
    return scope.asProtocol((any DeclGroupSyntax).self) == nil
  }
}

extension QueryMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [AccessorDeclSyntax] {
    if isLocal(in: context) {
      context.diagnose(ModelProblem.localQuery.at(node))
      // Without any getter, the compiler would add an error of its own. No program has this one: the error above ends its build.
      return ["get { Swift.fatalError() }"]
    }
    guard let property = QueryProperty(declaration) else {
      context.diagnose(ModelProblem.queryWithoutType.at(declaration))
      return []
    }
    if let problem = ObservedQuery(declaration, node, in: context)?.problem { context.diagnose(problem) }
    return ["get { \(raw: property.storage).wrappedValue }"]
  }
}

extension QueryMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    // The accessor macro reports a variable that no query can stand on.
    guard !isLocal(in: context), let property = QueryProperty(declaration) else { return [] }
    // Nor would the stored query beside that of the observed property help.
    if let observed = ObservedQuery(declaration, node, in: context), observed.isTracked { return [] }
    var arguments = ""
    if case .argumentList(let list)? = node.arguments { arguments = list.trimmedDescription }
    let type = property.type
    return [
      "\(raw: property.modifiers)var \(raw: property.storage): SwiftData.Query<\(raw: type)._QueryElement, \(raw: type)> = .init(\(raw: arguments))"
    ]
  }
}

/// A property on which a query stands: one plain `var` with a type and without a value.
private struct QueryProperty {
  /// The name of the stored query.
  let storage: String
  let type: String
  /// The modifiers of the stored query.
  ///
  /// A private stored property would make the initializer private that the compiler writes; but a private type allows nothing else.
  let modifiers: String

  init?(_ declaration: some DeclSyntaxProtocol) {
    guard let variable = declaration.as(VariableDeclSyntax.self), variable.bindings.count == 1,
      variable.bindingSpecifier.tokenKind == .keyword(.var), let binding = variable.bindings.first,
      let annotation = binding.typeAnnotation, binding.initializer == nil, binding.accessorBlock == nil,
      let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
    else { return nil }
    storage = "_\(pattern.identifier.unquoted)"
    type = annotation.type.trimmedDescription
    let kept = ["private", "fileprivate", "static", "nonisolated"]
    modifiers = variable.modifiers.filter { $0.detail == nil && kept.contains($0.name.text) }
      .map { "\($0.trimmedDescription) " }.joined()
  }
}

/// A query in a class with `@Observable`, which makes accessors for each variable that `@ObservationIgnored` does not exclude.
private struct ObservedQuery {
  private let query: AttributeSyntax
  private let attributes: AttributeListSyntax
  /// The place of `@ObservationIgnored` among the attributes, and that of the query.
  private let (ignored, own): (Int?, Int?)

  /// `nil` for a query elsewhere, and for a static one, which nobody observes.
  init?(_ declaration: some DeclSyntaxProtocol, _ query: AttributeSyntax, in context: some MacroExpansionContext) {
    guard let variable = declaration.as(VariableDeclSyntax.self),
      !variable.modifiers.contains(where: { $0.name.text == "static" }),
      let type = context.lexicalContext.first?.as(ClassDeclSyntax.self),
      type.attributes.contains(where: { $0.isNamed("Observable") })
    else { return nil }
    self.query = query
    attributes = variable.attributes
    ignored = attributes.enumerated().first { $0.element.isNamed("ObservationIgnored") }?.offset
    own = attributes.enumerated().first { $0.element.isNamed("Query") }?.offset
  }

  /// Whether `@Observable` makes a getter, too.
  var isTracked: Bool { ignored == nil }

  /// The compiler expands the last attribute first, and lets `@ObservationIgnored` see no getter.
  var problem: Diagnostic? {
    guard let own, (ignored ?? 0) < own || isTracked else { return nil }
    var texts = attributes.map(\.trimmedDescription)
    texts.insert("@ObservationIgnored", at: own + 1)
    if let ignored { texts.remove(at: ignored) }
    let fixIt = FixIt(
      "write '@ObservationIgnored' behind '@Query'", replacing: attributes, with: texts.joined(separator: " "))
    return ModelProblem.observedQuery.at(query, fixIt)
  }
}

extension AttributeListSyntax.Element {
  /// Whether this is an attribute of the name, with or without its module.
  fileprivate func isNamed(_ name: String) -> Bool {
    let text = self.as(AttributeSyntax.self)?.attributeName.trimmedDescription
    return text?.split(separator: ".").last.map(String.init) == name
  }
}
