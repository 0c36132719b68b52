import CSQLite
package import Foundation

extension FunctionArguments {
  /// The bytes, copied; `nil` for NULL. A number gives the bytes of its text.
  package func blob(_ index: Int) -> Data? {
    guard !isNull(index), let value = values?[index] else { return nil }
    guard let start = sqlite3_value_blob(value) else { return Data() }
    return Data(bytes: start, count: Int(sqlite3_value_bytes(value)))
  }
}
