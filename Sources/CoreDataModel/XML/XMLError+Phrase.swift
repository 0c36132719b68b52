import ErrorReporting
import ManagedModel

extension XMLError {
  var problem: String { phrase.problem }
  var remedy: String? { phrase.remedy }

  private var phrase: (problem: String, remedy: String) {
    let restore = "save the model again in Xcode, or restore the file from version control"
    let handMade = "remove it; Xcode writes none"
    let excessive = "this is no model that Xcode wrote; check where the file comes from"
    return switch cause {
    case .empty: ("the file is empty", restore)
    case .outOfMemory: ("there is not enough memory to read the file", "free some memory and try again")
    case .malformed(let message):
      (
        "the XML is not well-formed: "
          + onOneLine(message.drop(while: \.isWhitespace), limit: 200).trimmingTrailingBlanks, restore
      )
    case .documentType: ("the file has a document type declaration (<!DOCTYPE>)", handMade)
    case .entity: ("the file declares or uses an XML entity of its own", handMade)
    case .tooLarge(let limit): ("the file is larger than \(limit) bytes", excessive)
    case .tooDeep(let limit): ("elements are nested more than \(limit) deep", excessive)
    case .tooManyElements(let limit): ("the file has more than \(limit) elements", excessive)
    case .tooManyAttributes(let element, let limit):
      ("an element \(quoted(element)) has more than \(limit) attributes", excessive)
    }
  }
}

extension String {
  fileprivate var trimmingTrailingBlanks: String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
