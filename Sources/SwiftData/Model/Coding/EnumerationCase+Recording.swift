internal import Foundation

extension EnumerationCase {
  /// The cases of a type with the encoding that the compiler synthesizes for enumerations; `nil` for other types.
  ///
  /// That encoding is an object whose only key is the case's name; its value is an object of the payload by labels.
  static func all<Value: Decodable>(of type: Value.Type) -> [EnumerationCase]? {
    guard let names = caseNames(of: type) else { return nil }
    var recorded: [RecordedCase] = []
    for name in names {
      let recorder = LeafRecorder()
      var isCase = false
      let made = try? Value(
        from: CaseDecoder(name: name) {
          isCase = true
          return recorder
        })
      guard isCase else { return nil }
      recorded.append(
        RecordedCase(
          name: name, leaves: recorder.leaves, isComplete: made != nil && !recorder.hasParts))
    }
    let labelled = labelled(recorded)
    return recorded.map { $0.lowered(hasLabels: labelled.contains($0.name)) }
  }

  /// The names of the cases whose labels have columns.
  ///
  /// Columns do not tell a case from another one that has an equal label. So these two have the own form. So has a case with a label
  /// that is the name of another case: no column means one case here and another case in a store of an earlier version.
  private static func labelled(_ cases: [RecordedCase]) -> Set<String> {
    let possible = cases.filter(\.mayHaveLabels)
    let counts = Dictionary(possible.flatMap { $0.leaves.map { ($0.name, 1) } }, uniquingKeysWith: +)
    let names = Set(cases.map(\.name))
    return Set(
      possible.filter { member in
        member.leaves.allSatisfy { leaf in
          guard counts[leaf.name] == 1 else { return false }
          if leaf.name == member.name { return member.isOneValue || member.leaves.count > 1 }
          return !names.contains(leaf.name)
        }
      }.map(\.name))
  }
}

/// What is known of a case before its columns are chosen.
private struct RecordedCase {
  let name: String
  /// The values of the payload by their keys: a label, or `_0` for the first value if it has none.
  let leaves: [AttributeLayout.Leaf]
  /// Whether the leaves are the whole payload.
  let isComplete: Bool

  /// Whether the payload is one value that a column holds, and never `nil`.
  var isOneValue: Bool { leaves.count == 1 && !leaves[0].isOptional && !leaves[0].isJSON }

  /// Whether each value has a label, and one of them is always there.
  var mayHaveLabels: Bool {
    isComplete && leaves.contains(where: \.isRequired)
      && !leaves.contains { $0.name.first == "_" && $0.name.dropFirst().allSatisfy(\.isNumber) }
  }

  func lowered(hasLabels: Bool) -> EnumerationCase {
    func column(_ type: any _ColumnValue.Type, isJSON: Bool) -> AttributeLayout.Leaf {
      var leaf = AttributeLayout.Leaf(name: name, type: type, isOptional: true, isJSON: isJSON)
      leaf.isRequired = true
      return leaf
    }
    if hasLabels { return EnumerationCase(name: name, .labels, columns: leaves) }
    if isComplete, leaves.isEmpty {
      return EnumerationCase(name: name, .none, columns: [column(String.self, isJSON: false)])
    }
    if isOneValue {
      return EnumerationCase(name: name, .value(key: leaves[0].name), columns: [column(leaves[0].type, isJSON: false)])
    }
    return EnumerationCase(name: name, .json, columns: [column(Data.self, isJSON: true)])
  }
}
