import Foundation
import ManagedModel
import ModelArchive
import PropertyLists

/// Compiled models that are damaged, hostile, or archives of something else.
extension BadInput {
  static let archives: [BadInput] = [
    mom(
      "an empty compiled model", Data(),
      says: "M.mom:1: error: the file is empty"
        + " — restore it, or name an .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store"),
    mom(
      "a compiled model of text", Data("a model".utf8),
      says: "M.mom:1: error: the file is no compiled model"
        + " — compile the model again, or name an .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store"),
    mom(
      "a header alone", Data("bplist00".utf8),
      says: "M.mom:1: error: the model's archive is not a binary property list: it ends too early (at byte 8)"
        + " — compile the model again, or use its .xcdatamodeld bundle"),
    mom(
      "half an archive", soundArchive.prefix(soundArchive.count / 2),
      says: "M.mom:1: error: the model's archive is not a binary property list: its trailer is not consistent"
        + " (at byte \(soundArchive.count / 2 - trailerLength))"
        + " — compile the model again, or use its .xcdatamodeld bundle"),
    mom(
      "an optimised model", Data("momv2$\0\0\0".utf8),
      says: "M.mom:1: error: this is an optimised model (.omo) — use the .mom file beside it"),
    mom(
      "a property list of XML", Data("<?xml version=\"1.0\"?><plist><dict/></plist>".utf8),
      says: "M.mom:1: error: the file is no compiled model"
        + " — compile the model again, or name an .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store"),
    mom(
      "a plain property list", list([.dictionary(keys: [1], values: [2]), .string("a"), .integer(1)]),
      says: "M.mom:1: error: the file is no keyed archive of a managed object model: it was not made by"
        + " NSKeyedArchiver"
        + " — use a .mom file or an .xcdatamodeld bundle"),
    mom(
      "a property list that is a number", list([.integer(7)]),
      says: "M.mom:1: error: the file is no keyed archive of a managed object model: its value is no dictionary"
        + " — use a .mom file or an .xcdatamodeld bundle"),
    mom(
      "a keyed archive of a string", keyed([.string("$null"), .string("hello")]),
      says: "M.mom:1: error: the file is no keyed archive of a managed object model: its root is no"
        + " NSManagedObjectModel"
        + " — use a .mom file or an .xcdatamodeld bundle"),
    mom(
      "a keyed archive of nothing", keyed([.string("$null")]),
      says: "M.mom:1: error: the file is no keyed archive of a managed object model: “$top” names no object"
        + " — use a .mom file or an .xcdatamodeld bundle"),
    mom(
      "a keyed archive that is its own root", keyed([.string("$null"), .uid(1)]),
      says: "M.mom:1: error: the file is no keyed archive of a managed object model: “$top” names no object"
        + " — use a .mom file or an .xcdatamodeld bundle"),
    mom(
      "a model that holds itself", changed { $0.lead("NSEntities", to: "NSManagedObjectModel") },
      says: "M.mom:1: error: the model's archive is damaged: key “NSEntities” is not a dictionary"
        + " — compile the model again, or use its .xcdatamodeld bundle"),
    mom(
      "a superentity that is a model", changed { $0.lead("NSSuperentity", to: "NSManagedObjectModel") },
      says: "M.mom:1: error: the model's archive is damaged: entity “A”, key “NSEntityName” is missing"
        + " — compile the model again, or use its .xcdatamodeld bundle"),
    mom(
      "an entity that is its own superentity", changed { $0.leadHome("NSSuperentity") },
      says: "M.mom:1: error: the model's archive is damaged: entity “A”, key “NSSuperentity” goes up in a"
        + " circle, or too far"
        + " — compile the model again, or use its .xcdatamodeld bundle"),
    mom(
      "an entity that is a model", changed { $0.lead("NSProperties", to: "NSEntities") },
      says: "M.mom:1: error: the model's archive is damaged: entity “A”, property “A”, key “$class” is no kind"
        + " of property"
        + " — compile the model again, or use its .xcdatamodeld bundle"),
    mom(
      "entities that are a number", changed { $0.put(.integer(3), at: "NSEntities") },
      says: "M.mom:1: error: the model's archive is damaged: key “NSEntities” is not a dictionary"
        + " — compile the model again, or use its .xcdatamodeld bundle"),
    mom(
      "a name that is a number", changed { $0.put(.integer(3), at: "NSEntityName") },
      says: "M.mom:1: error: the model's archive is damaged: key “NSEntityName” is not a string"
        + " — compile the model again, or use its .xcdatamodeld bundle"),
    mom(
      "a reference beyond the table", changed { $0.put(.uid(1 << 40), at: "NSEntities") },
      says: "M.mom:1: error: the model's archive is damaged: key “NSEntities” refers to an object that does not"
        + " exist"
        + " — compile the model again, or use its .xcdatamodeld bundle"),
    mom(
      "a type that is none", changed { $0.put(.integer(12_345), at: "NSAttributeType") },
      says: "M.mom:1: error: the model's archive is damaged: entity “A”, property “x”, key “NSAttributeType” is"
        + " an unknown type, 12345"
        + " — compile the model again, or use its .xcdatamodeld bundle"),
    mom(
      "a count beyond the file",
      soundArchive.with([0xDF, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], at: 8),
      says: "M.mom:1: error: the model's archive is not a binary property list: an object states a count that"
        + " its bytes cannot hold (at byte 8)"
        + " — compile the model again, or use its .xcdatamodeld bundle"),
    mom(
      "a table of more objects than bytes", soundArchive.with([0x7F, 0xFF, 0xFF, 0xFF], at: -24),
      says: "M.mom:1: error: the model's archive is not a binary property list: its trailer is not consistent"
        + " (at byte \(soundArchive.count - trailerLength))"
        + " — compile the model again, or use its .xcdatamodeld bundle"),
    mom(
      "a table that begins nowhere", soundArchive.with([0x7F, 0xFF, 0xFF, 0xFF], at: -8),
      says: "M.mom:1: error: the model's archive is not a binary property list: its trailer is not consistent"
        + " (at byte \(soundArchive.count - trailerLength))"
        + " — compile the model again, or use its .xcdatamodeld bundle"),
    mom(
      "numbers of no bytes", soundArchive.with([0, 0], at: -26),
      says: "M.mom:1: error: the model's archive is not a binary property list: its trailer is not consistent"
        + " (at byte \(soundArchive.count - trailerLength))"
        + " — compile the model again, or use its .xcdatamodeld bundle"),
    mom(
      "an object of no type", soundArchive.with([0xFF], at: 8),
      says: "M.mom:1: error: the model's archive is not a binary property list: an object is of an unknown type"
        + " (at byte 8)"
        + " — compile the model again, or use its .xcdatamodeld bundle"),
  ]

  private static func mom(_ name: String, _ bytes: Data, says: String) -> BadInput {
    BadInput(name, "M.mom", says: says) { try $0.write(bytes, to: "M.mom") }
  }

  /// Bytes at the end of a binary property list, which say where everything is.
  private static let trailerLength = 32

  /// The archive of a model of one entity with one attribute.
  static let soundArchive: Data = {
    var entity = EntityDescription(name: "A")
    entity.properties = [.attribute(AttributeDescription(name: "x", type: .string))]
    var model = ModelDescription()
    model.entities = [entity]
    return (try? ModelArchive.encode(model)) ?? Data()
  }()

  static func list(_ objects: [BinaryPropertyList.Object]) -> Data {
    BinaryPropertyList(objects: objects, top: 0).encoded()
  }

  /// A keyed archive of these objects, the second of them its root.
  static func keyed(_ objects: [BinaryPropertyList.Object]) -> Data {
    let frame: [BinaryPropertyList.Object] = [
      .dictionary(keys: [1, 3, 5, 7], values: [2, 4, 6, 9]), .string("$archiver"), .string("NSKeyedArchiver"),
      .string("$version"), .integer(100_000), .string("$top"), .dictionary(keys: [8], values: [10]),
      .string("$objects"), .string("root"), .array(objects.indices.map { $0 + 11 }), .uid(1),
    ]
    return list(frame + objects)
  }

  private static func changed(_ change: (inout BinaryPropertyList) -> Void) -> Data {
    guard var list = try? BinaryPropertyList(soundArchive) else { return Data() }
    change(&list)
    return list.encoded()
  }
}

extension BinaryPropertyList {
  /// Puts an object where the first dictionary with the key has its value.
  fileprivate mutating func put(_ object: Object, at key: String) {
    objects.append(object)
    setValue(objects.count - 1, at: key)
  }

  /// Lets one key have the value of another.
  fileprivate mutating func lead(_ key: String, to other: String) {
    if let value = position(of: other).flatMap({ place in values(of: place.container)[place.index] }) {
      setValue(value, at: key)
    }
  }

  /// Lets a key have the object that it is of for its value.
  fileprivate mutating func leadHome(_ key: String) {
    guard let container = position(of: key)?.container else { return }
    for case .array(let table) in objects {
      if let uid = table.firstIndex(of: container) { return put(.uid(uid), at: key) }
    }
  }

  private mutating func setValue(_ value: Int, at key: String) {
    guard let place = position(of: key), case .dictionary(let keys, var values) = objects[place.container] else {
      return
    }
    values[place.index] = value
    objects[place.container] = .dictionary(keys: keys, values: values)
  }

  private func values(of container: Int) -> [Int] {
    if case .dictionary(_, let values) = objects[container] { values } else { [] }
  }

  private func position(of key: String) -> (container: Int, index: Int)? {
    for (container, object) in objects.enumerated() {
      guard case .dictionary(let keys, _) = object else { continue }
      if let index = keys.firstIndex(where: { objects[$0] == .string(key) }) { return (container, index) }
    }
    return nil
  }
}

extension Data {
  /// The data with other bytes at a place; counted from the end where it is negative.
  func with(_ bytes: [UInt8], at offset: Int) -> Data {
    var result = self
    let start = offset < 0 ? count + offset : offset
    guard indices.contains(start), start + bytes.count <= count else { return self }
    result.replaceSubrange(start..<start + bytes.count, with: bytes)
    return result
  }
}
