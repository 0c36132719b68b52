import SwiftSyntax

extension IfConfigDeclSyntax {
  /// The clauses, each with the condition under which it is compiled: its own, and the opposites of all earlier ones.
  var conditionedClauses: [(clause: IfConfigClauseSyntax, condition: String)] {
    var earlier: [String] = []
    return clauses.map { clause in
      let own = clause.condition?.trimmedDescription
      defer { if let own { earlier.append(own) } }
      return (clause, Self.conjunction(own, excluding: earlier))
    }
  }

  /// The condition under which no clause is compiled; `nil` if there is an `#else`.
  var conditionOfNone: String? {
    let conditions = clauses.compactMap { $0.condition?.trimmedDescription }
    return conditions.count < clauses.count ? nil : Self.conjunction(nil, excluding: conditions)
  }

  private static func conjunction(_ own: String?, excluding earlier: [String]) -> String {
    (earlier.map { "!(\($0))" } + (own.map { ["(\($0))"] } ?? [])).joined(separator: " && ")
  }
}

extension AttributeListSyntax {
  /// The attributes in each branch of the `#if` among them, with the conditions of the branch; one variant if there is no `#if`.
  func variants(under conditions: [String]) -> [(attributes: [AttributeSyntax], conditions: [String])] {
    reduce([([], conditions)]) { variants, element in
      switch element {
      case .attribute(let attribute):
        return variants.map { ($0.attributes + [attribute], $0.conditions) }
      case .ifConfigDecl(let branches):
        return variants.flatMap { variant in
          let chosen = branches.conditionedClauses.flatMap { clause, condition in
            guard case .attributes(let list) = clause.elements else {
              return [(variant.attributes, variant.conditions + [condition])]
            }
            return list.variants(under: variant.conditions + [condition]).map {
              (variant.attributes + $0.attributes, $0.conditions)
            }
          }
          return chosen + (branches.conditionOfNone.map { [(variant.attributes, variant.conditions + [$0])] } ?? [])
        }
      }
    }
  }

  /// The attributes, those in all branches of `#if` included.
  var withBranches: [AttributeSyntax] { variants(under: []).flatMap(\.attributes) }
}
