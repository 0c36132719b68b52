internal import ManagedModel

extension EnumerationCase {
  /// The place of each column in the payload; `nil` for the column of a case in this library's own form.
  var payloadElements: [PayloadElement?] {
    guard case .labels = payload else { return columns.map { _ in nil } }
    let isWhole = columns.count == 1 && !columns[0].isOptional && !columns[0].isJSON
    return columns.map { _ in PayloadElement(caseName: name, isWhole: isWhole) }
  }
}
