import ErrorReporting
import Foundation
import ManagedModel
import PropertyLists
import StoreRequests

/// An object from one line of the imported file, with its properties checked against the model.
struct ImportRecord {
  let line: Int
  let entity: StoreEntity
  /// The object's label in the file; `nil` if nothing refers to it.
  let label: String?
  /// In the order of the file.
  let fields: [(name: String, field: Field)]
  /// The offset of the object in the line, in bytes.
  let offset: Int

  /// A reference to another object: its label, and its offset in the line.
  struct Reference {
    let label: String
    let offset: Int
  }

  enum Field {
    /// The value of an attribute, or the values of a composite's leaves in declared order.
    case attribute(StoreAttribute, [ExportValue], offset: Int)
    case toOne(StoreRelationship, Reference?, offset: Int)
    case toMany(StoreRelationship, [Reference], offset: Int)
  }

  /// - Throws: ``ImportFault``
  init(_ node: JSONNode, line: Int, in entities: EntityTable) throws {
    guard case .object(let members) = node.value else {
      throw ImportFault("the line is not a JSON object", "write an object in braces on each line", at: node.offset)
    }
    func text(_ name: String) throws(ImportFault) -> (text: String, offset: Int)? {
      guard let node = members.first(where: { $0.name == name })?.node else { return nil }
      guard case .text(let text) = node.value else {
        throw ImportFault("\(name) is not a text", "put it in double quotation marks", at: node.offset)
      }
      return (text, node.offset)
    }
    guard let name = try text("$entity") else {
      throw ImportFault("the object has no entity", "write {\"$entity\": \"name\", …}", at: node.offset)
    }
    guard let entity = entities.entity(named: name.text) else {
      let nearest = nearestName(to: name.text, in: entities.entities.map(\.name))
      throw ImportFault(
        "the store has no entity \(quoted(name.text))\(suggestion(nearest))", "name an entity of the model",
        at: name.offset)
    }
    guard !entity.description.isAbstract else {
      throw ImportFault(
        "entity \(quoted(entity.name)) is abstract and has no objects of its own", "name a subentity", at: name.offset)
    }
    self.line = line
    self.entity = entity
    label = try text("$id")?.text
    offset = node.offset
    let properties = try Self.named(members.filter { $0.name != "$entity" && $0.name != "$id" })
    fields = try properties.compactMap { name, node in
      try Self.field(name, node, of: entity, in: entities).map { (name, $0) }
    }
  }

  /// The members by the names of the model. A name of the model that begins with `$` has one more `$` in the line.
  ///
  /// - Throws: ``ImportFault`` if two members have one name, with and without the second `$`.
  private static func named(_ members: [(name: String, node: JSONNode)]) throws -> [(name: String, node: JSONNode)] {
    var names: Set<[UInt8]> = []
    return try members.map { name, node in
      let plain = name.hasPrefix("$$") ? String(name.dropFirst()) : name
      guard names.insert(Array(plain.utf8)).inserted else {
        throw ImportFault(
          "\(quoted(plain)) has a second value, under the name \(quoted(name))", "leave out one of the two",
          at: node.offset)
      }
      return (plain, node)
    }
  }

  /// A property; `nil` for a transient one.
  private static func field(
    _ name: String, _ node: JSONNode, of entity: StoreEntity, in entities: EntityTable
  ) throws -> Field? {
    switch entity.property(named: name) {
    case .attribute(let attribute):
      return .attribute(attribute, try values(node, of: attribute.description, name), offset: node.offset)
    case .toOne(let relationship):
      if case .null = node.value { return .toOne(relationship, nil, offset: node.offset) }
      return .toOne(relationship, try reference(node, name), offset: node.offset)
    case .toMany(let relationship):
      switch node.value {
      case .null: return .toMany(relationship, [], offset: node.offset)
      case .list(let items):
        return .toMany(relationship, try items.map { try reference($0, name) }, offset: node.offset)
      default:
        throw ImportFault(
          "relationship \(quoted(name)) is to-many, and its value is not a list",
          "write their identifiers in brackets",
          at: node.offset)
      }
    case nil:
      if entities.isUnstored(name, of: entity) { return nil }
      let nearest = nearestName(to: name, in: entity.properties.map(\.name))
      throw ImportFault(
        "entity \(quoted(entity.name)) has no stored property \(quoted(name))\(suggestion(nearest))",
        "correct the name, or leave it out", at: node.offset)
    }
  }

  private static func reference(_ node: JSONNode, _ name: String) throws -> Reference {
    guard case .text(let label) = node.value else {
      throw ImportFault(
        "relationship \(quoted(name)) is to-one, and its value is not an identifier",
        "write its identifier as a text, such as \"Book/p7\"", at: node.offset)
    }
    return Reference(label: label, offset: node.offset)
  }

  private static func values(_ node: JSONNode, of attribute: AttributeDescription, _ name: String) throws
    -> [ExportValue]
  {
    guard attribute.type == .composite else {
      do { return [try ExportValue(node, as: attribute.type)] } catch {
        throw ImportFault("attribute \(quoted(name)): \(error.problem)", error.remedy, at: error.offset)
      }
    }
    var members: [(name: String, node: JSONNode)] = []
    switch node.value {
    case .null: break
    case .object(let object):
      members = try named(object)
    default:
      throw ImportFault(
        "attribute \(quoted(name)): the value is not a JSON object", "write {\"name\": value, …}", at: node.offset)
    }
    for (element, node) in members where !attribute.elements.contains(where: { $0.name == element }) {
      let nearest = nearestName(to: element, in: attribute.elements.map(\.name))
      throw ImportFault(
        "composite \(quoted(name)) has no element \(quoted(element))\(suggestion(nearest))",
        "correct the name, or leave it out", at: node.offset)
    }
    let null = JSONNode(value: .null, offset: node.offset)
    return try attribute.elements.flatMap { element in
      try values(members.first { $0.name == element.name }?.node ?? null, of: element, "\(name).\(element.name)")
    }
  }
}
