package import ManagedModel
import PropertyLists
package import SQLite

/// An entity's number, table and properties.
package final class EntityLayout: Sendable {
  package let name: String
  /// The `Z_ENT` of rows of exactly this entity (CD-1.2).
  package let number: Int
  package let description: EntityDescription
  package var isAbstract: Bool { description.isAbstract }
  /// The table of the root entity, which holds the rows of the whole hierarchy (CD-2).
  package let table: Identifier
  package let rootName: String
  package let rootNumber: Int
  package let superentityName: String?
  /// `Z_SUPER`: the direct superentity's number, 0 for roots.
  package let superentityNumber: Int
  /// Names from the root down to the entity itself.
  package let lineage: [String]
  /// Numbers of the entity and of all its descendants, ascending.
  package let kindNumbers: [Int]
  var hasSubentities: Bool { kindNumbers.count > 1 }
  /// The entity's number, if its table has no rows of other entities.
  package var soleNumber: Int32? { superentityName == nil && !hasSubentities ? Int32(number) : nil }
  /// All stored properties. Properties of the root come first, and each level is sorted by name (CD-7).
  package let properties: [PropertyLayout]
  private let indexByName: [String: Int]

  init(
    description: EntityDescription, number: Int, table: Identifier, rootName: String, rootNumber: Int,
    superentityNumber: Int, lineage: [String], kindNumbers: [Int], properties: [PropertyLayout]
  ) {
    self.name = description.name
    self.number = number
    self.description = description
    self.table = table
    self.rootName = rootName
    self.rootNumber = rootNumber
    self.superentityName = description.superentityName
    self.superentityNumber = superentityNumber
    self.lineage = lineage
    self.kindNumbers = kindNumbers
    self.properties = properties
    indexByName = Dictionary(
      properties.indices.map { (properties[$0].name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The stored property of this name, inherited ones included; `nil` for transient and fetched ones.
  package func property(named name: String) -> PropertyLayout? {
    indexByName[name].map { properties[$0] }
  }

  /// The column of an attribute, or of an element of a composite, by its path.
  func attributeColumn(_ path: [String]) -> AttributeColumn? {
    guard let first = path.first, case .attribute(let attribute)? = property(named: first) else { return nil }
    return path.count == 1 ? attribute.column : attribute.column(at: path)
  }

  /// The position of each stored property in the entity's dictionary; see ``dictionaryOrder(of:keyCount:)``.
  var dictionaryOrder: [String: Int] {
    let keyCount = properties.count { if case .toOne = $0 { true } else { false } }
    return EntityLayout.dictionaryOrder(of: properties.map(\.name), keyCount: keyCount)
  }

  /// The position of each stored property of an entity, including inherited ones, in the dictionary that orders to-many
  /// relationships (CD-7) and join tables (CD-1.1) in Core Data.
  ///
  /// The dictionary also has entries for the keys of to-one relationships, and for the three columns of every row.
  static func dictionaryOrder(of names: [String], keyCount: Int) -> [String: Int] {
    DictionaryOrder.places(
      names.sorted(by: codeUnitOrder), count: names.count + keyCount + StoreLayout.objectColumns.count)
  }

  /// Whether rows of the entity of this number are objects of this entity.
  package func includes(_ number: Int) -> Bool {
    // Numbering is depth-first, so the kinds are a range in all but oddly numbered stores.
    kindNumbers.contains(number)
  }
}
