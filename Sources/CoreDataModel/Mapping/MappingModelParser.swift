import ErrorReporting
package import Foundation
package import ManagedModel
import PropertyLists

/// A mapping model with the problems of its file.
package struct ParsedMapping: Sendable {
  package var mapping: MappingModel
  package var diagnostics: [Diagnostic]
}

/// Turns the `xcmapping.xml` of an `.xcmappingmodel` into a mapping model: a function from bytes to values, without I/O.
///
/// The file is an XML store of Core Data's: Xcode's own objects, with references by identifier. Expressions and user
/// infos are keyed archives; both models are archives of Xcode's model editor.
package struct MappingModelParser {
  private let fileName: String
  private let readExpression: (Data) throws -> ExpressionTree
  private var objects: [String: StoredObject] = [:]
  private var diagnostics: [Diagnostic] = []

  /// - Parameters:
  ///   - name: the file's name without its extension.
  ///   - fileName: the file's name in diagnostics; the parser does not open it.
  ///   - readExpression: reads the archive of an `NSExpression`.
  /// - Throws: ``ModelReadingError`` if the bytes are no mapping model.
  package static func parse(
    _ bytes: Data, name: String, fileName: String, readExpression: @escaping (Data) throws -> ExpressionTree
  ) throws(ModelReadingError) -> ParsedMapping {
    var parser = MappingModelParser(fileName: fileName, readExpression: readExpression)
    return try parser.read(bytes, name: name)
  }

  private init(fileName: String, readExpression: @escaping (Data) throws -> ExpressionTree) {
    self.fileName = fileName
    self.readExpression = readExpression
  }

  private mutating func read(_ bytes: Data, name: String) throws(ModelReadingError) -> ParsedMapping {
    let root: XMLElement
    do { root = try XMLReader.read(bytes, documentType: .skipped) } catch {
      throw ModelReadingError([
        Diagnostic(.error, file: fileName, line: error.line, problem: error.problem, remedy: error.remedy)
      ])
    }
    let stored = root.children(named: "object").compactMap(StoredObject.init)
    objects = Dictionary(stored.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
    guard root.name == "database", let model = stored.first(where: { $0.kind == "XDDEVMAPPINGMODEL" }) else {
      throw ModelReadingError([
        Diagnostic(
          .error, file: fileName, line: root.line, problem: "the file holds no mapping model",
          remedy: "give the xcmapping.xml of an .xcmappingmodel")
      ])
    }
    var mapping = MappingModel(name: name)
    mapping.source = side("source", of: model)
    mapping.destination = side("destination", of: model)
    mapping.entityMappings = entityMappings(stored, of: model)
    return ParsedMapping(mapping: mapping, diagnostics: diagnostics)
  }

  private mutating func side(_ role: String, of model: StoredObject) -> MappingModel.Side {
    var side = MappingModel.Side()
    if let path = model.text("\(role)modelpath") {
      let file = path.split(separator: "/").last.map(String.init) ?? path
      side.versionName = file.hasSuffix(".xcdatamodel") ? String(file.dropLast(".xcdatamodel".count)) : file
    }
    guard let archive = model.data("\(role)modeldata") else { return side }
    do {
      side.model = try ModelParser.parse(archive: archive, fileName: "\(fileName) (\(role) model)").model
    } catch {
      let problem = error.diagnostics.first?.problem ?? "it is no archive"
      warn(model, "the copy of the \(role) model cannot be read: \(problem)", "update the mapping model in Xcode")
    }
    return side
  }

  /// The entity mappings in the order of their numbers.
  ///
  /// Reads also a mapping that the mapping model does not list: Xcode loses the reference at times, and keeps the
  /// mapping with its number.
  private mutating func entityMappings(_ stored: [StoredObject], of model: StoredObject) -> [EntityMapping] {
    let listed = Set(model.references("entitymappings"))
    let all = stored.filter { $0.kind == "XDDEVENTITYMAPPING" }
      .sorted { ($0.number("mappingnumber") ?? 0, $0.line) < ($1.number("mappingnumber") ?? 0, $1.line) }
    var mappings: [EntityMapping] = []
    var names: Set<String> = []
    for object in all {
      let mapping = entityMapping(object)
      if !listed.contains(object.identifier) {
        warn(
          object,
          "the mapping model does not list its entity mapping \(quoted(mapping.name)), which was read all the same",
          "save the mapping model again in Xcode")
      }
      if !names.insert(mapping.name).inserted {
        warn(
          object, "the entity mapping \(quoted(mapping.name)) occurs twice; the first was taken",
          "rename or remove one of them")
        continue
      }
      mappings.append(mapping)
    }
    return mappings
  }

  private mutating func entityMapping(_ object: StoredObject) -> EntityMapping {
    let (source, destination) = (object.text("sourcename"), object.text("destinationname"))
    let fills = object.flag("autogenerateexpression") ?? true
    var mapping = EntityMapping(
      name: object.text("name") ?? EntityMapping.defaultName(from: source, to: destination), sourceEntityName: source,
      destinationEntityName: destination, sourceFilter: object.text("sourcefilterpredicatestring"),
      policyClassName: object.text("migrationpolicyclassname"))
    mapping.attributeMappings = propertyMappings("attributemappings", of: object, fills: fills)
    mapping.relationshipMappings = propertyMappings("relationshipmappings", of: object, fills: fills)
    if let data = object.data("userinfodata") {
      if let entries = try? KeyedArchive(BinaryPropertyList(data)).rootObject().entries(as: "userinfodata") {
        for (key, value) in entries { mapping.userInfo[key] = value.text.map(UserInfoValue.string) }
      } else {
        warn(
          object, "the user info of \(quoted(mapping.name)) cannot be read; it was left out", "enter it again in Xcode")
      }
    }
    return mapping
  }

  private mutating func propertyMappings(
    _ key: String, of entity: StoredObject, fills: Bool
  ) -> [PropertyMapping] {
    var mappings: [PropertyMapping] = []
    for identifier in entity.references(key) {
      guard let object = objects[identifier], let name = object.text("name") else {
        warn(entity, "a property mapping \(quoted(identifier)) is missing or has no name; it was left out", nil)
        continue
      }
      mappings.append(PropertyMapping(name: name, value: value(object, fills: fills)))
    }
    return mappings.sorted { codeUnitOrder($0.name, $1.name) }
  }

  private func value(_ object: StoredObject, fills: Bool) -> PropertyMapping.Value {
    guard let data = object.data("valueexpressiondata") else {
      return object.flag("autogenerateexpression") ?? fills ? .corresponding : .none
    }
    do { return .expression(try readExpression(data)) } catch { return .unreadable("\(error)") }
  }

  private mutating func warn(_ object: StoredObject, _ problem: String, _ remedy: String?) {
    guard diagnostics.count < 100 else { return }
    diagnostics.append(Diagnostic(.warning, file: fileName, line: object.line, problem: problem, remedy: remedy))
  }
}

/// An object of Core Data's XML store.
private struct StoredObject {
  let kind: String
  let identifier: String
  let line: Int
  private let attributes: [String: String]
  private let relationships: [String: [String]]

  init?(_ element: XMLElement) {
    guard let kind = element[attribute: "type"], let identifier = element[attribute: "id"] else { return nil }
    self.kind = kind
    self.identifier = identifier
    line = element.line
    attributes = Dictionary(
      element.children(named: "attribute").compactMap { child in child[attribute: "name"].map { ($0, child.text) } },
      uniquingKeysWith: { first, _ in first })
    relationships = Dictionary(
      element.children(named: "relationship").compactMap { child in
        child[attribute: "name"].map { name in
          (name, (child[attribute: "idrefs"] ?? "").split(whereSeparator: \.isWhitespace).map(String.init))
        }
      }, uniquingKeysWith: { first, _ in first })
  }

  func text(_ name: String) -> String? { attributes[name].flatMap { $0.isEmpty ? nil : $0 } }
  func number(_ name: String) -> Int? { text(name).flatMap { Int($0) } }
  func flag(_ name: String) -> Bool? { number(name).map { $0 != 0 } }
  func data(_ name: String) -> Data? {
    text(name).flatMap { Data(base64Encoded: $0, options: .ignoreUnknownCharacters) }
  }
  func references(_ name: String) -> [String] { relationships[name] ?? [] }
}
