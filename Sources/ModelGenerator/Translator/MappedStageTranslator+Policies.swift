import ErrorReporting
import ManagedModel

/// Functions in place of the program's own policy classes.
extension MappedStageTranslator {
  mutating func policyStub(_ policy: String, _ entity: MappingResolution.Entity, rowName: String) -> String {
    let word = policy.split(separator: ".").last.map(String.init) ?? policy
    let function = claims.claim(Self.camelCase(SwiftIdentifier.typeName(word, fallback: "Policy")))
    var parameters = ["_ row: \(rowName)"]
    if let new = entity.destination { parameters.append("_ object: \(destination.type(of: new.name))") }
    parameters.append("_ context: ModelContext")
    var comments = [
      "The policy class \(quoted(policy)) of the entity mapping \(quoted(entity.mapping.name)).",
      "",
      "Runs once for each row, after the expressions of the mapping model have been carried out. Write here what the "
        + "class did beyond them.",
    ]
    if !entity.mapping.userInfo.isEmpty {
      let entries = entity.mapping.userInfo.sorted { codeUnitOrder($0.key, $1.key) }.map { key, value in
        if case .string(let text) = value { "\(key) = \(onOneLine(text, limit: 100))" } else { key }
      }
      comments.append("The user info of the mapping: \(entries.joined(separator: ", ")).")
    }
    addStub(
      function, comments, parameters, result: nil,
      reason: "the policy class \(quoted(policy)) of the entity mapping \(quoted(entity.mapping.name))")
    remark(
      "the policy class \(quoted(policy)) of the entity mapping \(quoted(entity.mapping.name))",
      "write \(plan).\(function)")
    return function
  }

  /// `MHWBookToBookPolicy` becomes `mhwBookToBookPolicy`.
  private static func camelCase(_ name: String) -> String {
    let capitals = name.prefix { $0.isUppercase }
    guard capitals.count > 1, capitals.count < name.count else { return SwiftIdentifier.lowercased(name) }
    return capitals.dropLast().lowercased() + name.dropFirst(capitals.count - 1)
  }
}
