import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@_PersistedProperty`: a property whose value the backing data of its object keeps.
///
/// It serves classes that contain the expansion of Apple's macro in their source. `@Model` attaches it in classes that name members of
/// that expansion.
enum BackedPropertyMacro: PeerMacro, AccessorMacro {
  static var formatMode: FormatMode { .disabled }

  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [DeclSyntax] { BackedProperty(declaration)?.peers ?? [] }

  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [AccessorDeclSyntax] { BackedProperty(declaration)?.accessors("Value") ?? [] }
}

/// `@_TransformablePersistedProperty`: like ``BackedPropertyMacro``, for a value that a transformer makes bytes of.
enum BackedTransformablePropertyMacro: PeerMacro, AccessorMacro {
  static var formatMode: FormatMode { .disabled }

  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [DeclSyntax] { BackedProperty(declaration)?.peers ?? [] }

  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [AccessorDeclSyntax] { BackedProperty(declaration)?.accessors("TransformableValue") ?? [] }
}

/// The variable that a macro of this file stands at; `nil` if it is no stored variable of one name.
private struct BackedProperty {
  /// The name as it has to be written in code, backticks included.
  private let spelling: String
  private let marker: String
  private let isConstant: Bool

  init?(_ declaration: some DeclSyntaxProtocol) {
    guard let variable = declaration.as(VariableDeclSyntax.self), variable.bindings.count == 1,
      let binding = variable.bindings.first, binding.accessorBlock == nil,
      let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
    else { return nil }
    spelling = pattern.identifier.text
    isConstant = variable.bindingSpecifier.tokenKind == .keyword(.let)
    marker = ModelProperty.usualStorageName(of: pattern.identifier.unquoted)
  }

  /// The variable that tells the compiler whether an initializer has given the property a value.
  var peers: [DeclSyntax] {
    ["private var \(raw: marker): _SwiftDataNoType"]
  }

  func accessors(_ kind: String) -> [AccessorDeclSyntax] {
    let setter: AccessorDeclSyntax = """
      set {
        _$observationRegistrar.withMutation(of: self, keyPath: \\.\(raw: spelling)) {
          self.set\(raw: kind)(forKey: \\.\(raw: spelling), to: newValue)
        }
      }
      """
    return [
      """
      @storageRestrictions(accesses: _$backingData, initializes: \(raw: marker))
      init(initialValue) {
        _$backingData.set\(raw: kind)(forKey: \\.\(raw: spelling), to: initialValue)
        \(raw: marker) = _SwiftDataNoType()
      }
      """,
      """
      get {
        _$observationRegistrar.access(self, keyPath: \\.\(raw: spelling))
        return self.get\(raw: kind)(forKey: \\.\(raw: spelling))
      }
      """,
    ] + (isConstant ? [] : [setter])
  }
}
