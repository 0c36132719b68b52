import CSQLite
package import Foundation

/// The value that a function returns to SQL.
package enum FunctionResult: Sendable {
  case null
  case integer(Int64)
  case double(Double)
  case text(String)
  case blob(Data)
}

/// A quick answer about the UTF-8 of two texts; `nil` where the bytes do not decide. The bytes are valid during the call only.
package typealias TextTest = @Sendable (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Bool?

/// The arguments of one call of a function; valid only during the call.
package struct FunctionArguments {
  let values: UnsafeMutablePointer<OpaquePointer?>?
  package let count: Int

  package func isNull(_ index: Int) -> Bool { sqlite3_value_type(value(index)) == SQLITE_NULL }
  package func isFloatingPoint(_ index: Int) -> Bool { sqlite3_value_type(value(index)) == SQLITE_FLOAT }
  package func isInteger(_ index: Int) -> Bool { sqlite3_value_type(value(index)) == SQLITE_INTEGER }
  package func isText(_ index: Int) -> Bool { sqlite3_value_type(value(index)) == SQLITE_TEXT }
  package func integer(_ index: Int) -> Int64 { sqlite3_value_int64(value(index)) }
  package func double(_ index: Int) -> Double { sqlite3_value_double(value(index)) }

  /// The text, `nil` for NULL; invalid UTF-8 is repaired.
  package func text(_ index: Int) -> String? {
    guard let start = sqlite3_value_text(value(index)) else { return nil }
    let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value(index))))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The answer of a test about the first two arguments; `nil` if one of them is NULL or missing, or if the test has none.
  fileprivate func answer(of test: TextTest) -> Bool? {
    guard count >= 2, let values, let one = sqlite3_value_text(values[0]), let other = sqlite3_value_text(values[1])
    else { return nil }
    return test(
      UnsafeBufferPointer(start: one, count: Int(sqlite3_value_bytes(values[0]))),
      UnsafeBufferPointer(start: other, count: Int(sqlite3_value_bytes(values[1]))))
  }

  private func value(_ index: Int) -> OpaquePointer? {
    precondition(index >= 0 && index < count, "A function of \(count) arguments has no argument \(index).")
    return values?[index]
  }
}

extension Connection {
  /// Registers a scalar function for this connection's SQL. Triggers and views may call it only if it is innocuous.
  ///
  /// - Parameters:
  ///   - argumentCount: -1 for a function of any number of arguments.
  ///   - isDeterministic: equal arguments give equal results, so that SQLite may call it once for many rows.
  ///   - isInnocuous: the function has no effects, so that triggers and views of an untrusted file may call it.
  ///   - test: is asked first, about the first two arguments. Without an answer, `body` is called.
  /// - Throws: ``SQLiteError``. An error that `body` throws becomes the statement's error.
  package func registerFunction(
    _ name: String, argumentCount: Int, isDeterministic: Bool = true, isInnocuous: Bool = false,
    test: TextTest? = nil, _ body: @escaping @Sendable (FunctionArguments) throws -> FunctionResult
  ) throws {
    var flags = SQLITE_UTF8
    if isDeterministic { flags |= SQLITE_DETERMINISTIC }
    flags |= isInnocuous ? SQLITE_INNOCUOUS : SQLITE_DIRECTONLY
    let box = FunctionBox(test, body) { [weak self] in self?.functionError = $0 }
    let code = sqlite3_create_function_v2(
      try pointer(), name, Int32(argumentCount), flags, Unmanaged.passRetained(box).toOpaque(),
      { context, count, values in
        guard let context, let data = sqlite3_user_data(context) else { return }
        // The connection keeps the box. Counting references for each row took a tenth of a search.
        Unmanaged<FunctionBox>.fromOpaque(data)._withUnsafeGuaranteedRef { box in
          let arguments = FunctionArguments(values: values, count: Int(count))
          if let test = box.test, let answer = arguments.answer(of: test) {
            sqlite3_result_int(context, answer ? 1 : 0)
          } else {
            box.call(context, arguments)
          }
        }
      }, nil, nil,
      { data in if let data { Unmanaged<FunctionBox>.fromOpaque(data).release() } })
    if code != SQLITE_OK { throw failure(code) }  // SQLite has already released the box
  }

  /// Registers a collation for this connection's SQL.
  ///
  /// - Parameter compare: receives two texts as UTF-8 bytes, which are valid only during the call. Returns a number less than,
  ///   equal to or greater than zero, and defines a total order of all texts.
  package func registerCollation(
    _ name: String, _ compare: @escaping @Sendable (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int
  ) throws {
    let box = Unmanaged.passRetained(CollationBox(compare))
    let code = sqlite3_create_collation_v2(
      try pointer(), name, SQLITE_UTF8, box.toOpaque(),
      { data, leftCount, left, rightCount, right in
        guard let data else { return 0 }
        let box = Unmanaged<CollationBox>.fromOpaque(data).takeUnretainedValue()
        let order = box.compare(
          UnsafeRawBufferPointer(start: left, count: Int(leftCount)),
          UnsafeRawBufferPointer(start: right, count: Int(rightCount)))
        return Int32(order.signum())
      },
      { data in if let data { Unmanaged<CollationBox>.fromOpaque(data).release() } })
    if code != SQLITE_OK {  // unlike a function's box, SQLite does not release this box on failure
      box.release()
      throw failure(code)
    }
  }
}

private final class CollationBox {
  let compare: @Sendable (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int
  init(_ compare: @escaping @Sendable (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int) {
    self.compare = compare
  }
}

private final class FunctionBox {
  let test: TextTest?
  let body: @Sendable (FunctionArguments) throws -> FunctionResult
  /// Gets the errors of `body`.
  private let report: (any Error) -> Void

  init(
    _ test: TextTest?, _ body: @escaping @Sendable (FunctionArguments) throws -> FunctionResult,
    report: @escaping (any Error) -> Void
  ) {
    (self.test, self.body, self.report) = (test, body, report)
  }

  func call(_ context: OpaquePointer, _ arguments: FunctionArguments) {
    do {
      switch try body(arguments) {
      case .null: sqlite3_result_null(context)
      case .integer(let value): sqlite3_result_int64(context, value)
      case .double(let value): sqlite3_result_double(context, value)
      case .text(var value): value.withUTF8 { csqlite_result_text(context, $0.baseAddress, $0.count) }
      case .blob(let value): value.withUnsafeBytes { csqlite_result_blob(context, $0.baseAddress, $0.count) }
      }
    } catch {
      report(error)
      sqlite3_result_error(context, "\(error)", -1)
    }
  }
}
