package import Foundation
package import PropertyLists
package import StoreRequests

/// A plain value of a property, to be printed, compared with another value, and read back.
package indirect enum ExportValue: Sendable, Hashable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case real(Double)
  case decimal(Decimal)
  case text(String)
  /// Seconds since 2001-01-01T00:00:00Z (CD-5).
  case date(Double)
  case data(Data)
  case uuid(UUID)
  /// A transformable value whose archive holds property-list values only.
  case archived(ArchivedValue)
  /// The elements of a composite attribute with a value, in declared order (CD-2.4).
  case composite([Element])
  case object(ObjectName)
  /// The objects of a to-many relationship: in its order, or by key if it has none.
  case objects([ObjectName])
  /// A stored value without a plain form: bytes of a transformer, or a value of another type than the attribute's.
  case stored(StoreValue)

  package struct Element: Sendable, Hashable {
    package let name: String
    package let value: ExportValue

    package init(_ name: String, _ value: ExportValue) {
      self.name = name
      self.value = value
    }
  }
}

/// The name of an object outside its store: `Book/p7`, the end of its identifier (CD-10).
package struct ObjectName: Sendable, Hashable {
  /// The object's actual entity.
  package let entity: String
  package let key: Int64

  package init(entity: String, key: Int64) {
    self.entity = entity
    self.key = key
  }

  /// Reads `Book/p7`, or a whole `x-coredata://…/Book/p7` with its store's identifier; `nil` for other texts.
  package static func parse(_ text: String) -> (name: ObjectName, store: String?)? {
    let scheme = "x-coredata://"
    var rest = Substring(text)
    var store: String?
    if rest.hasPrefix(scheme) {
      rest = rest.dropFirst(scheme.count)
      guard let slash = rest.firstIndex(of: "/") else { return nil }
      store = String(rest[..<slash])
      rest = rest[rest.index(after: slash)...]
    }
    guard let slash = rest.lastIndex(of: "/") else { return nil }
    let (entity, last) = (rest[..<slash], rest[rest.index(after: slash)...])
    let digits = last.dropFirst()
    guard !entity.isEmpty, last.first == "p", digits.utf8.allSatisfy({ (48...57).contains($0) }),
      digits.first != "0", let key = Int64(digits)
    else { return nil }
    return (ObjectName(entity: String(entity), key: key), store)
  }
}

extension ObjectName: CustomStringConvertible {
  package var description: String { "\(entity)/p\(key)" }
}

/// An object in plain form: its name, and the values of its properties.
package struct ExportObject: Sendable {
  package let name: ObjectName
  /// In the layout's order, from the root entity down. Properties without a value are left out, unless their absence
  /// would read as another value (see ``ObjectCursor``).
  package let properties: [ExportValue.Element]

  package init(name: ObjectName, properties: [ExportValue.Element]) {
    self.name = name
    self.properties = properties
  }
}
