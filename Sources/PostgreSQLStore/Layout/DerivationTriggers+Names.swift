import PostgreSQL

extension DerivationTriggers {
  /// Gives each derivation the beginning of the names of its triggers, which no other derivation of the layout has.
  ///
  /// The layout of the former model has the same names. So a migration finds the functions that it drops. A name that is not taken has no
  /// number, as in stores of earlier versions.
  static func naming(_ derivations: [PathDerivation]) -> [PathDerivation] {
    var taken: Set<Identifier> = []
    return derivations.map { derivation in
      // Triggers run in the order of their names. Values of many rows come first, since they lock their owner for writing.
      let rank = derivation.value.isOfMany ? 1 : 2
      // The column `c` of a table `a_b`, and the column `b_c` of a table `a`, have one name.
      let name = "_derive_\(rank)_\(derivation.table.name.name)_\(derivation.column.name.name)"
      var prefix = name
      var number = 1
      while !taken.insert(Identifier(prefix)).inserted {
        number += 1
        prefix = "\(name)_\(number)"
      }
      var derivation = derivation
      derivation.triggerPrefix = prefix
      return derivation
    }
  }
}

extension PathDerivation.Value {
  fileprivate var isOfMany: Bool { if case .column = self { false } else { true } }
}
