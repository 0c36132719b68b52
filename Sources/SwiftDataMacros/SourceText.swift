import SwiftSyntax

// The compiler takes the text of an expansion, and parses it itself. To parse it here as well would take half of the time that a model's
// expansion takes. So a node has its whole text in one token, which the grammar allows as unexpected.

extension DeclSyntax {
  /// A declaration with this text, which is not parsed.
  init(source: String) { self.init(MissingDeclSyntax(placeholder: .identifier(source))) }
}

extension AccessorDeclSyntax {
  /// An accessor with this text, which is not parsed.
  init(source: String) {
    self.init(
      UnexpectedNodesSyntax([Syntax(TokenSyntax.identifier(source))]),
      accessorSpecifier: .keyword(.get, presence: .missing))
  }
}

extension AttributeSyntax {
  /// An attribute with this text, which is not parsed.
  init(source: String) {
    self.init(
      UnexpectedNodesSyntax([Syntax(TokenSyntax.identifier(source))]),
      atSign: .atSignToken(presence: .missing),
      attributeName: IdentifierTypeSyntax(name: .identifier("", presence: .missing)))
  }
}
