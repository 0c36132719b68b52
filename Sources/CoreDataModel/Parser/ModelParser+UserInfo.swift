import ErrorReporting
import ManagedModel

extension ModelParser {
  /// Reads the `userInfo` of an element: `entry` elements with a key and a value, both strings.
  mutating func userInfo(of element: XMLElement) -> [String: UserInfoValue] {
    var result: [String: UserInfoValue] = [:]
    for info in element.children(named: "userInfo") {
      for entry in info.children(named: "entry") {
        guard let key = entry[attribute: "key"] else {
          report(
            .warning, entry.line, "an entry of the user info of \(describe(element)) has no key",
            "give it one; it was left out")
          continue
        }
        let value = UserInfoValue.string(entry[attribute: "value"] ?? "")
        if result.updateValue(value, forKey: key) != nil {
          report(
            .warning, entry.line, "the user info of \(describe(element)) has the key \(quoted(key)) twice",
            "remove one of them; the last was taken")
        }
      }
    }
    return result
  }
}
