import CPostgreSQL
import Foundation

/// A connection of the client library, used as a program uses it by hand: binary parameters and results, prepared statements.
final class BareConnection {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let connection: OpaquePointer
  private var prepared: [String: String] = [:]
  /// The statements that were sent.
  private(set) var roundTrips = 0

  init(_ address: String) throws {
    guard let connection = PQconnectdb(address), PQstatus(connection) == CONNECTION_OK else {
      throw Failure(description: "the server at the address does not answer")
    }
    self.connection = connection
  }

  deinit { PQfinish(connection) }

  /// Runs a statement, prepared when it runs first, and lets a closure read the result.
  @discardableResult
  func run<Result>(_ sql: String, _ parameters: [Form] = [], _ read: (BareResult) throws -> Result) throws -> Result {
    let name: String
    if let known = prepared[sql] {
      name = known
    } else {
      name = "b\(prepared.count)"
      prepared[sql] = name
      PQclear(PQprepare(connection, name, sql, Int32(parameters.count), parameters.map(\.type)))
    }
    roundTrips += 1
    let lengths = parameters.map { Int32($0.bytes.count) }
    let result = withPointers(parameters) { pointers in
      PQexecPrepared(
        connection, name, Int32(parameters.count), pointers, lengths,
        [Int32](repeating: 1, count: parameters.count), 1)
    }
    return try checked(result, sql, read)
  }

  func run(_ sql: String, _ parameters: [Form] = []) throws { try run(sql, parameters) { _ in } }

  /// Runs a statement without parameters and result.
  func execute(_ sql: String) throws {
    roundTrips += 1
    try checked(PQexec(connection, sql), sql) { _ in }
  }

  private func withPointers<Result>(
    _ parameters: [Form], _ body: ([UnsafePointer<CChar>?]) throws -> Result
  ) rethrows -> Result {
    let block = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(1, parameters.reduce(0) { $0 + $1.bytes.count }), alignment: 8)
    defer { block.deallocate() }
    var offset = 0
    let pointers = parameters.map { parameter -> UnsafePointer<CChar>? in
      let place = UnsafeMutableRawBufferPointer(rebasing: block[offset..<offset + parameter.bytes.count])
      place.copyBytes(from: parameter.bytes)
      offset += parameter.bytes.count
      return (block.baseAddress.map { $0 + offset - parameter.bytes.count }).map {
        UnsafePointer($0.assumingMemoryBound(to: CChar.self))
      }
    }
    return try body(pointers)
  }

  private func checked<Result>(
    _ result: OpaquePointer?, _ sql: String, _ read: (BareResult) throws -> Result
  ) throws -> Result {
    defer { PQclear(result) }
    guard let result, [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else {
      throw Failure(description: "\(String(cString: PQerrorMessage(connection))) — \(sql.prefix(300))")
    }
    return try read(BareResult(pointer: result))
  }
}

/// A result in binary form.
struct BareResult {
  let pointer: OpaquePointer

  var count: Int { Int(PQntuples(pointer)) }

  private func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: PQgetvalue(pointer, Int32(row), Int32(column)), count: Int(PQgetlength(pointer, Int32(row), Int32(column)))
    )
  }

  func integer(_ row: Int, _ column: Int) -> Int64 {
    Int64(bigEndian: bytes(row, column).loadUnaligned(as: Int64.self))
  }

  func double(_ row: Int, _ column: Int) -> Double { Double(bitPattern: UInt64(bitPattern: integer(row, column))) }

  func boolean(_ row: Int, _ column: Int) -> Bool { bytes(row, column).first == 1 }

  func text(_ row: Int, _ column: Int) -> String { String(decoding: bytes(row, column), as: UTF8.self) }
}

/// A parameter in binary form, with the object identifier of its type.
struct Form {
  let type: UInt32
  let bytes: [UInt8]

  static func integer(_ value: Int64) -> Form {
    Form(type: 20, bytes: withUnsafeBytes(of: value.bigEndian) { Array($0) })
  }

  static func text(_ value: String) -> Form { Form(type: 25, bytes: Array(value.utf8)) }

  static func array<Values: Collection>(
    _ values: Values, element: UInt32, array: UInt32, _ write: (Values.Element, inout [UInt8]) -> Void
  ) -> Form {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(20 + values.count * 16)
    func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
      withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
    }
    for number in [1, 0, Int32(bitPattern: element), Int32(values.count), 1] { append(number, to: &bytes) }
    for value in values {
      let start = bytes.count
      append(Int32(0), to: &bytes)
      write(value, &bytes)
      let length = Int32(bytes.count - start - 4)
      withUnsafeBytes(of: length.bigEndian) { for (index, byte) in $0.enumerated() { bytes[start + index] = byte } }
    }
    return Form(type: array, bytes: bytes)
  }

  static func integers(_ values: some Collection<Int64>) -> Form {
    array(values, element: 20, array: 1016) { value, bytes in withUnsafeBytes(of: value.bigEndian) { bytes += $0 } }
  }

  static func shorts(_ values: some Collection<Int16>) -> Form {
    array(values, element: 21, array: 1005) { value, bytes in withUnsafeBytes(of: value.bigEndian) { bytes += $0 } }
  }

  static func texts(_ values: some Collection<String>) -> Form {
    array(values, element: 25, array: 1009) { value, bytes in bytes += value.utf8 }
  }

  static func doubles(_ values: some Collection<Double>) -> Form {
    array(values, element: 701, array: 1022) { value, bytes in
      withUnsafeBytes(of: value.bitPattern.bigEndian) { bytes += $0 }
    }
  }

  /// Moments in seconds since 2001; the server's form is microseconds since 2000.
  static func moments(_ values: some Collection<Double>) -> Form {
    array(values, element: 1184, array: 1185) { value, bytes in
      withUnsafeBytes(of: Int64((value + 31_622_400) * 1e6).bigEndian) { bytes += $0 }
    }
  }

  static func booleans(_ values: some Collection<Bool>) -> Form {
    array(values, element: 16, array: 1000) { value, bytes in bytes.append(value ? 1 : 0) }
  }
}
