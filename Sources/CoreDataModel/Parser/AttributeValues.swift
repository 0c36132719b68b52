import ManagedModel

/// An attribute's default and bounds, read for its type: each type has its own XML attributes and its own spelling.
struct AttributeValues {
  var defaultValue = Reading.absent
  /// The bounds of a string are bounds of its length.
  var minimum = Reading.absent
  var maximum = Reading.absent
  /// XML attributes that are there but mean nothing for the type.
  var unused: [String] = []

  enum Reading {
    case absent
    case value(AttributeValue)
    /// Readable only with the tolerance that Core Data's compiler has.
    case coerced(AttributeValue, String)
    case invalid(String, expected: String)
  }

  init(_ element: XMLElement, type: AttributeType) {
    let source = Source(type)
    let texts = Self.names.compactMap { name in
      element[attribute: name].map { (name: name, text: $0) }
    }
    for (name, text) in texts {
      // Xcode writes an empty string for "no value", except for strings, where it is the empty string.
      if text.isEmpty, type != .string || name != "defaultValueString" { continue }
      switch name {
      case source.defaultName: defaultValue = source.read(text)
      case source.minimumName: minimum = source.readBound(text)
      case source.maximumName: maximum = source.readBound(text)
      default: unused.append(name)
      }
    }
  }

  private static let names = [
    "defaultValueString", "minValueString", "maxValueString",
    "defaultDateTimeInterval", "minDateTimeInterval", "maxDateTimeInterval",
  ]

  /// Which XML attributes a type's values come from, and how their text is read.
  private struct Source {
    var defaultName: String? = "defaultValueString"
    var minimumName: String? = "minValueString"
    var maximumName: String? = "maxValueString"
    var read: (String) -> Reading
    var readBound: (String) -> Reading

    init(_ read: @escaping (String) -> Reading, bounds: @escaping (String) -> Reading) {
      self.read = read
      readBound = bounds
    }

    init(unbounded read: @escaping (String) -> Reading) {
      self.init(read, bounds: read)
      minimumName = nil
      maximumName = nil
    }

    init(_ type: AttributeType) {
      switch type {
      case .integer16: self.init(bounded: { integer($0, Int64(Int16.min)...Int64(Int16.max)) })
      case .integer32: self.init(bounded: { integer($0, Int64(Int32.min)...Int64(Int32.max)) })
      case .integer64: self.init(bounded: { integer($0, .min ... .max) })
      case .decimal: self.init(bounded: decimal)
      case .double: self.init(bounded: { double($0, limit: .greatestFiniteMagnitude) })
      case .float: self.init(bounded: { double($0, limit: Double(Float.greatestFiniteMagnitude)) })
      case .boolean: self.init(unbounded: boolean)
      case .uuid: self.init(unbounded: uuid)
      case .uri: self.init(unbounded: { .value(.uri($0)) })
      case .string: self.init({ .value(.string($0)) }, bounds: { integer($0, 0...Int64(Int32.max)) })
      case .date:
        self.init(bounded: date)
        defaultName = "defaultDateTimeInterval"
        minimumName = "minDateTimeInterval"
        maximumName = "maxDateTimeInterval"
      case .undefined, .binary, .transformable, .objectID, .composite:
        self.init(unbounded: { _ in .absent })
        defaultName = nil
      }
    }

    private init(bounded read: @escaping (String) -> Reading) { self.init(read, bounds: read) }
  }
}
