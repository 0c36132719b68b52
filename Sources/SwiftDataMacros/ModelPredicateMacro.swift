import SwiftSyntax
import SwiftSyntaxMacros

/// `#Predicate` of a model: Foundation's macro, with `evaluate(_:)`, which that macro refuses on Linux.
enum ModelPredicateMacro: ExpressionMacro {
  static var formatMode: FormatMode { .disabled }

  static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) -> ExprSyntax {
    let calls = EvaluateCalls()
    return ExprSyntax(
      MacroExpansionExprSyntax(
        macroName: .identifier("_FoundationPredicate"), genericArgumentClause: node.genericArgumentClause,
        leftParen: node.leftParen, arguments: calls.rewrite(node.arguments).cast(LabeledExprListSyntax.self),
        rightParen: node.rightParen,
        trailingClosure: node.trailingClosure.map { calls.rewrite($0).cast(ClosureExprSyntax.self) },
        additionalTrailingClosures: node.additionalTrailingClosures))
  }
}

/// Writes `condition[value]` for `condition.evaluate(value)`: Foundation's macro passes a subscript on, whatever its base is.
private final class EvaluateCalls: SyntaxRewriter {
  override func visit(_ call: FunctionCallExprSyntax) -> ExprSyntax {
    guard let member = call.calledExpression.as(MemberAccessExprSyntax.self), let base = member.base,
      member.declName.baseName.text == "evaluate", member.declName.argumentNames == nil,
      let argument = call.arguments.first, call.arguments.count == 1, argument.label == nil, call.trailingClosure == nil
    else { return super.visit(call) }
    return ExprSyntax(
      SubscriptCallExprSyntax(
        calledExpression: visit(base).with(\.trailingTrivia, []), leftSquare: .leftSquareToken(),
        arguments: visit(call.arguments), rightSquare: .rightSquareToken(),
        additionalTrailingClosures: []
      ).with(\.trailingTrivia, call.trailingTrivia))
  }
}
