import Foundation
import PropertyLists

extension JSONWriter {
  /// A value that an archive holds: as JSON if JSON has its kind, otherwise under a mark of its kind.
  ///
  /// Mutable classes have the mark `$mutable…`, so that a value is archived again with the same classes.
  mutating func write(_ value: ArchivedValue) {
    switch value {
    case .null: writeNull()
    case .boolean(let value): write(flag: value)
    case .integer(let value):
      if let small = Int64(exactly: value) {
        write(number: small)
      } else {
        marked("$integer") { $0.write(text: "\(value)") }
      }
    case .real(let value):
      if value.isFinite { write(number: value) } else { marked("$real") { $0.write(number: value) } }
    case .decimal(let value): marked("$decimal") { $0.write(text: value.isNaN ? "NaN" : "\(value)") }
    case .string(let value, false): write(text: value)
    case .string(let value, true): marked("$mutableString") { $0.write(text: value) }
    case .data(let value, let isMutable):
      marked(isMutable ? "$mutableArchivedData" : "$archivedData") { $0.write(text: value.base64EncodedString()) }
    case .date(let seconds):
      marked("$date") { output in
        if let text = ExportDate.text(seconds) { output.write(text: text) } else { output.write(number: seconds) }
      }
    case .uuid(let value): marked("$uuid") { $0.write(text: value.uuidString) }
    case .url(let value, nil): marked("$url") { $0.write(text: value) }
    case .url(let value, let base?):
      marked("$url") { output in
        output.list { output in
          output.write(text: value)
          output.write(base)
        }
      }
    case .list(let values, .array): write(values)
    case .list(let values, let kind): marked(Self.marker(kind)) { $0.write(values) }
    case .dictionary(let entries, false) where Self.isPlain(entries): write(entries)
    case .dictionary(let entries, true) where Self.isPlain(entries): marked("$mutableDictionary") { $0.write(entries) }
    case .dictionary(let entries, let isMutable):
      marked(isMutable ? "$mutableDictionary" : "$dictionary") { output in
        output.list { output in for entry in entries { output.write([entry.key, entry.value]) } }
      }
    }
  }

  static func marker(_ kind: ArchivedValue.ListClass) -> String {
    switch kind {
    case .array: "$array"
    case .mutableArray: "$mutableArray"
    case .set: "$set"
    case .mutableSet: "$mutableSet"
    case .orderedSet: "$orderedSet"
    case .mutableOrderedSet: "$mutableOrderedSet"
    }
  }

  /// Whether a dictionary can be a JSON object: its keys are distinct texts.
  private static func isPlain(_ entries: [ArchivedValue.Entry]) -> Bool {
    var names: Set<String> = []
    return entries.allSatisfy { entry in
      guard case .string(let name, false) = entry.key else { return false }
      return names.insert(name).inserted
    }
  }

  private mutating func write(_ entries: [ArchivedValue.Entry]) {
    object { output in
      for entry in entries {
        if case .string(let name, _) = entry.key { output.write(name: name) }
        output.write(entry.value)
      }
    }
  }

  private mutating func write(_ values: [ArchivedValue]) {
    list { output in for value in values { output.write(value) } }
  }
}
