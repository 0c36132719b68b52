import PostgreSQL

/// The values of a column in many rows, as parameters of one statement, which makes rows of them by `unnest`.
///
/// The server has no array whose elements are arrays. So arrays of texts are sent as texts, which the server casts. Other arrays are
/// sent as one array of all elements, of which each row takes a slice.
struct ColumnValues {
  let type: DataType
  /// The form of the last array; `nil` for `NULL`.
  private var lastArray: [UInt8]?
  /// The values. For arrays: their texts, or the positions of their first elements, from 1.
  private var values: ParameterArray
  /// The positions of the arrays' last elements.
  private var ends = ParameterArray(.integer32)
  private var elements: ParameterArray

  private enum Way { case plain, texts, slices }

  private let way: Way

  init(_ type: DataType) {
    self.type = type
    way = type.element == nil ? .plain : type == .texts ? .texts : .slices
    values = ParameterArray(way == .plain ? type : way == .texts ? .text : .integer32)
    elements = ParameterArray(type.element ?? .boolean)
  }

  /// The form of the last value; `nil` for `NULL`.
  ///
  /// Do not keep it: otherwise the next value would copy the whole array.
  var last: ArraySlice<UInt8>? { way == .plain ? values.last : lastArray?[...] }

  /// The size of all values.
  var byteCount: Int { values.byteCount + ends.byteCount + elements.byteCount }

  mutating func appendNull() {
    lastArray = nil
    values.appendNull()
    if way == .slices { ends.appendNull() }
  }

  /// Appends a value, whose binary form a closure writes.
  mutating func append(_ write: (inout [UInt8]) throws -> Void) rethrows {
    if way == .plain {
      try values.append(write)
      return
    }
    var form: [UInt8] = []
    try write(&form)
    lastArray = form
    form.withUnsafeBytes { bytes in
      let items = ArrayForm.elements(bytes) ?? []
      if way == .texts {
        values.append { Self.appendLiteral(items, to: &$0) }
      } else {
        values.append { BinaryForm.append(Int32(clamping: elements.count + 1), to: &$0) }
        for item in items { if let item { elements.append { $0 += item } } else { elements.appendNull() } }
        ends.append { BinaryForm.append(Int32(clamping: elements.count), to: &$0) }
      }
    }
  }

  /// Appends `{"a","b"}`.
  private static func appendLiteral(_ items: [UnsafeRawBufferPointer?], to bytes: inout [UInt8]) {
    let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
    bytes.append(UInt8(ascii: "{"))
    for (index, item) in items.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      guard let item else {
        bytes += "NULL".utf8
        continue
      }
      bytes.append(quote)
      for byte in item {
        if byte == quote || byte == backslash { bytes.append(backslash) }
        bytes.append(byte)
      }
      bytes.append(quote)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  var parameterCount: Int { way == .slices ? 3 : 1 }

  var parameters: [Parameter] {
    way == .slices ? [values.parameter, ends.parameter, elements.parameter] : [values.parameter]
  }
}

/// How a statement reads the values of columns from its parameters, as rows `s`.
struct UnnestedColumns {
  /// The arguments of `unnest`, such as `$2::text[]`, and the names of the columns that it makes of them.
  private(set) var arrays: [String] = []
  private(set) var names: [String] = []
  /// The value of each column in a row, such as `s.c0`.
  private(set) var values: [String] = []

  /// - Parameter first: the number of the first parameter.
  init(_ columns: [ColumnValues], from first: Int) {
    var number = first
    for (index, column) in columns.enumerated() {
      defer { number += column.parameterCount }
      names.append("c\(index)")
      if column.parameterCount == 1 {
        let isText = column.type == .texts
        arrays.append("$\(number)::\(isText ? "text" : column.type.sql)[]")
        values.append("s.c\(index)\(isText ? "::\(column.type.sql)" : "")")
      } else {
        arrays += ["$\(number)::integer[]", "$\(number + 1)::integer[]"]
        names.append("e\(index)")
        values.append("($\(number + 2)::\(column.type.sql))[s.c\(index):s.e\(index)]")
      }
    }
  }
}
