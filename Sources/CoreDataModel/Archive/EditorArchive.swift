import ErrorReporting
import Foundation
import ManagedModel
import PropertyLists

/// The keyed archive in which Xcode's model editor keeps a model: the `elements` file of Xcode 3, and both models
/// inside a mapping model.
///
/// An archive becomes the element tree that Xcode writes for the same model as XML, so that one parser reads both. The
/// archive has no order of entities and properties, so they are in the order of their names.
struct EditorArchive {
  /// Facts of the archive that are left out, each with a remedy.
  private(set) var omissions: [(problem: String, remedy: String)] = []

  /// Reads untrusted bytes, in time linear in their number.
  /// - Throws: ``ArchiveFault``, `PropertyListError` or `KeyedArchiveError`.
  static func tree(_ bytes: Data) throws -> (root: XMLElement, omissions: [(problem: String, remedy: String)]) {
    var archive = EditorArchive()
    let root = try archive.model(KeyedArchive(BinaryPropertyList(bytes)).rootObject())
    return (root, archive.omissions)
  }

  /// The reason why bytes are no archive of a model, as a clause.
  static func problem(of error: any Error) -> String {
    switch error {
    case let fault as ArchiveFault: "the archive of the model is damaged: key \(quoted(fault.key)) \(fault.problem)"
    case let error as PropertyListError: "the archive of the model is damaged: \(error)"
    case let error as KeyedArchiveError: "the file is no archive of a model: \(error.problem)"
    default: "the archive of the model cannot be read"
    }
  }

  private mutating func model(_ object: ArchivedObject) throws -> XMLElement {
    guard object.isKind(of: "XDPMModel") else {
      throw ArchiveFault(key: "root", problem: "is no model of Xcode's model editor")
    }
    guard let package = try object.object("_xd_rootPackage") else {
      throw ArchiveFault(key: "_xd_rootPackage", problem: "is missing")
    }
    var element = XMLElement(name: "model", line: 1)
    element.set("userDefinedModelVersionIdentifier", try object.string("_modelVersionIdentifier"))
    for entity in try package.named("XDBucketForClassesstorage") { element.children.append(try self.entity(entity)) }
    for (name, members) in try object.entries("_configurationsByName").sorted(by: { codeUnitOrder($0.key, $1.key) }) {
      element.children.append(try configuration(name, members))
    }
    return element
  }

  private func configuration(_ name: String, _ members: ArchivedObject) throws -> XMLElement {
    var element = XMLElement(name: "configuration", line: 1)
    element.set("name", name)
    for member in try members.elements(as: "_configurationsByName") ?? [] {
      var entry = XMLElement(name: "memberEntity", line: 1)
      entry.set("name", try member.text ?? member.required("_name"))
      element.children.append(entry)
    }
    return element
  }

  private mutating func entity(_ object: ArchivedObject) throws -> XMLElement {
    let name = try object.required("_name")
    let facts = try EditorFacts(of: object)
    var element = XMLElement(name: "entity", line: 1)
    element.set("name", name)
    element.set("representedClassName", try facts.text("XD_PSK_entityClassName"))
    element.set("isAbstract", try facts.flag("XD_PSK_isAbstract"))
    element.set("elementID", try facts.text("XD_PSK_elementID"))
    element.set("versionHashModifier", try facts.text("XD_PSK_versionHashModifier"))
    let generalizations = try object.elements("XDBucketForGeneralizationsstorage")
    element.set("parentEntity", try generalizations.first?.object("_general")?.required("_name"))
    for property in try object.named("XDBucketForOwnedAttributesstorage") {
      if let child = try self.property(property, of: name) { element.children.append(child) }
    }
    try appendLists("XDPMUniquenessConstraints", ("uniquenessConstraint", "constraint"), facts, &element)
    try appendLists("XDPMCompoundIndexes", ("compoundIndex", "index"), facts, &element)
    appendUserInfo(try facts.entries("XD_PSK_userInfo"), &element)
    if try facts.elements("XD_PSK_fetchRequestsArray").isEmpty == false {
      omit("the fetch requests of entity \(quoted(name)), whose archived form is not known")
    }
    return element
  }

  private mutating func property(_ object: ArchivedObject, of entity: String) throws -> XMLElement? {
    let name = try object.required("_name")
    let facts = try EditorFacts(of: object)
    var element = XMLElement(name: "", line: 1)
    element.set("name", name)
    element.set("optional", try facts.flag("XD_PPSK_isOptional"))
    element.set("transient", try facts.flag("XD_PPSK_isTransient"))
    element.set("spotlightIndexingEnabled", try facts.flag("XD_PPSK_isSpotlightIndexed"))
    element.set("storedInTruthFile", try facts.flag("XD_PPSK_isStoredInTruthFile"))
    element.set("elementID", try facts.text("XD_PPSK_elementID"))
    element.set("versionHashModifier", try facts.text("XD_PPSK_versionHashModifier"))
    if object.isKind(of: "XDPMAttribute") {
      element.name = "attribute"
      element.set("indexed", try facts.flag("XD_PPSK_isIndexed"))
      try readAttribute(facts, into: &element, place: "\(entity).\(name)")
    } else if object.isKind(of: "XDPMRelationship") {
      element.name = "relationship"
      try readRelationship(facts, into: &element)
    } else {
      omit("the property \(quoted(name)) of entity \(quoted(entity)), whose archived form is not known")
      return nil
    }
    appendUserInfo(try facts.entries("XD_PPSK_userInfo"), &element)
    return element
  }

  private mutating func readAttribute(_ facts: EditorFacts, into element: inout XMLElement, place: String) throws {
    let number = try facts.integer("XD_PAttK_attributeType") ?? 0
    guard let type = UInt32(exactly: number).flatMap(AttributeType.init(rawValue:)) else {
      throw ArchiveFault(key: "XD_PAttK_attributeType", problem: "is an unknown type, \(number), of \(place)")
    }
    element.set("attributeType", type.modelName)
    element.set("valueTransformerName", try facts.text("XD_PAttK_valueTransformerName"))
    element.set("regularExpressionString", try facts.text("XD_PAttK_regularExpressionString"))
    element.set("allowsExternalBinaryDataStorage", try facts.flag("XD_PAttK_allowsExternalBinaryDataStorage"))
    let isDate = type == .date
    for (key, name) in [("default", "default"), ("minValue", "min"), ("maxValue", "max")] {
      guard let text = try facts.text("XD_PAttK_\(key == "default" ? "defaultValueAsString" : "\(key)String")") else {
        continue
      }
      if isDate, Double(text) == nil {
        omit("the \(name) value of \(quoted(place)), a date in words: \(quoted(onOneLine(text, limit: 60)))")
        continue
      }
      let suffix = isDate ? "DateTimeInterval" : "ValueString"
      element.set(name + suffix, text)
    }
  }

  private func readRelationship(_ facts: EditorFacts, into element: inout XMLElement) throws {
    let rules = ["No Action", "Nullify", "Cascade", "Deny"]
    let rule = try facts.integer("XD_PRK_deleteRule") ?? 1
    guard rules.indices.contains(rule) else {
      throw ArchiveFault(key: "XD_PRK_deleteRule", problem: "is an unknown rule, \(rule)")
    }
    element.set("deletionRule", rules[rule])
    element.set("toMany", try facts.flag("XD_PRK_isToMany"))
    element.set("ordered", try facts.flag("XD_PRK_ordered"))
    element.set("minCount", try facts.integer("XD_PRK_minCount").map(String.init))
    element.set("maxCount", try facts.integer("XD_PRK_maxCount").map(String.init))
    element.set("destinationEntity", try facts.object("XD_PRK_destination")?.required("_name"))
    if let inverse = facts.object("XD_PRK_inverseRelationship") {
      element.set("inverseName", try inverse.required("_name"))
      element.set("inverseEntity", try inverse.object("_owner")?.required("_name"))
    }
  }

  /// Lists of property names: `uniquenessConstraints` and `compoundIndexes` of XML.
  private func appendLists(
    _ key: String, _ names: (list: String, item: String), _ facts: EditorFacts, _ element: inout XMLElement
  ) throws {
    var lists = XMLElement(name: names.list + (names.list.hasSuffix("x") ? "es" : "s"), line: 1)
    for archived in try facts.elements(key) {
      var list = XMLElement(name: names.list, line: 1)
      for item in try archived.elements(as: key) ?? [] {
        var entry = XMLElement(name: names.item, line: 1)
        entry.set("value", try item.text ?? item.required("_name"))
        list.children.append(entry)
      }
      lists.children.append(list)
    }
    if !lists.children.isEmpty { element.children.append(lists) }
  }

  /// The texts of a user info. Leaves out the entries of Sync Services, which Xcode added to each part of a model.
  private func appendUserInfo(_ entries: [(key: String, value: ArchivedObject)], _ element: inout XMLElement) {
    var userInfo = XMLElement(name: "userInfo", line: 1)
    for (key, value) in entries.sorted(by: { codeUnitOrder($0.key, $1.key) }) {
      guard !key.hasPrefix("com.apple.syncservices."), let text = value.text else { continue }
      var entry = XMLElement(name: "entry", line: 1)
      entry.set("key", key)
      entry.set("value", text)
      userInfo.children.append(entry)
    }
    if !userInfo.children.isEmpty { element.children.append(userInfo) }
  }

  private mutating func omit(_ what: String) {
    omissions.append(
      ("the archive holds \(what); it was left out", "open the model in Xcode 4 or later and save it, which writes XML")
    )
  }
}

/// The facts about an entity or a property: the values of its stereotypes by name.
private struct EditorFacts {
  private var values: [String: ArchivedObject] = [:]

  init(of object: ArchivedObject) throws {
    for (_, stereotype) in try object.entries("XDBucketForStereotypesstorage") {
      for (name, property) in try stereotype.entries("XDBucketForOwnedAttributesstorage") {
        values[name] = try property.object("_default")
      }
    }
  }

  func object(_ name: String) -> ArchivedObject? { values[name] }

  func text(_ name: String) throws -> String? {
    guard let value = values[name] else { return nil }
    guard let text = value.text else { throw ArchiveFault(key: name, problem: "is not a string") }
    return text
  }

  func integer(_ name: String) throws -> Int? {
    guard let value = values[name] else { return nil }
    guard let number = try value.whole().flatMap(Int.init(exactly:)) else {
      throw ArchiveFault(key: name, problem: "is not a whole number")
    }
    return number
  }

  func flag(_ name: String) throws -> String? { try integer(name).map { $0 == 0 ? "NO" : "YES" } }

  func elements(_ name: String) throws -> [ArchivedObject] { try values[name]?.elements(as: name) ?? [] }

  func entries(_ name: String) throws -> [(key: String, value: ArchivedObject)] {
    try values[name]?.entries(as: name) ?? []
  }
}

extension ArchivedObject {
  /// The objects of a dictionary by name, in the order of their names.
  fileprivate func named(_ key: String) throws -> [ArchivedObject] {
    try entries(key).sorted { codeUnitOrder($0.key, $1.key) }.map(\.value)
  }
}

extension XMLElement {
  /// Adds an attribute that has a value.
  fileprivate mutating func set(_ name: String, _ value: String?) {
    if let value { add(attribute: name, value) }
  }
}
