import ManagedModel

/// The default and the bounds of an attribute. Each type has its own XML attributes and its own text form.
struct AttributeValues {
  var defaultValue = Reading.absent
  /// The smallest value allowed; for a string, the smallest length.
  var minimum = Reading.absent
  var maximum = Reading.absent
  /// XML attributes of the element that belong to other types, and whose value the type's own XML attributes do not state.
  var unused: [String] = []

  enum Reading {
    case absent
    case value(AttributeValue)
    /// A value whose text belongs to another type; Core Data's compiler accepts it.
    case coerced(AttributeValue, String)
    case invalid(String, expected: String)
  }

  init(_ element: XMLElement, type: AttributeType) {
    let source = Source(type)
    let texts = Self.names.compactMap { name in
      element[attribute: name].map { (name: name, text: $0) }
    }
    // Xcode keeps the text of an earlier type beside the present one.
    let stated = Set(texts.filter { source.names.contains($0.name) && !$0.text.isEmpty }.map { Self.role(of: $0.name) })
    for (name, text) in texts {
      // Xcode writes an empty text for no value. Only the default of a string can be the empty string itself.
      if text.isEmpty, type != .string || name != "defaultValueString" { continue }
      switch name {
      case source.defaultName: defaultValue = source.read(text)
      case source.minimumName: minimum = source.readBound(text)
      case source.maximumName: maximum = source.readBound(text)
      case _ where stated.contains(Self.role(of: name)): continue
      default: unused.append(name)
      }
    }
  }

  private static let names = [
    "defaultValueString", "minValueString", "maxValueString",
    "defaultDateTimeInterval", "minDateTimeInterval", "maxDateTimeInterval",
  ]

  /// `default`, `min` or `max`: an XML attribute's name without the form of its text.
  private static func role(of name: String) -> Substring { name.prefix { $0.isLowercase } }

  /// The XML attributes that hold a type's values, and the functions that read their text.
  private struct Source {
    var defaultName: String? = "defaultValueString"
    var minimumName: String? = "minValueString"
    var maximumName: String? = "maxValueString"
    var names: [String] { [defaultName, minimumName, maximumName].compactMap(\.self) }
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
