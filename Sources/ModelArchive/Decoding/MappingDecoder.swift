import ErrorReporting
package import Foundation
package import ManagedModel
import PropertyLists

extension ModelArchive {
  /// Reads the archive of an `NSExpression` from untrusted bytes.
  /// - Throws: ``ModelArchiveError``.
  package static func decodeExpression(_ data: Data) throws -> ExpressionTree {
    try decode(data) { try PredicateReader().expression($0) }
  }

  /// Reads a compiled mapping model, a `.cdm` file, from untrusted bytes.
  ///
  /// No such file of Apple's has been seen. The keys are the names of `NSMappingModel`'s properties, in the manner of
  /// compiled models.
  /// - Parameter name: the file's name without its extension.
  /// - Throws: ``ModelArchiveError``.
  package static func decodeMapping(_ data: Data, name: String) throws -> MappingModel {
    try decode(data) { try MappingDecoder(name: name).mapping($0) }
  }

  private static func decode<Value>(_ data: Data, _ read: (ArchivedObject) throws -> Value) throws -> Value {
    let list: BinaryPropertyList
    do { list = try BinaryPropertyList(data) } catch { throw ModelArchiveError.propertyList(error) }
    do { return try read(KeyedArchive(list).rootObject()) } catch let fault as ArchiveFault {
      throw fault.isUnknown
        ? ModelArchiveError.unknown(entity: nil, property: nil, key: fault.key, problem: fault.problem)
        : ModelArchiveError.malformed(entity: nil, property: nil, key: fault.key, problem: fault.problem)
    } catch let error as KeyedArchiveError {
      throw ModelArchiveError.notAKeyedArchive(error.problem)
    }
  }
}

/// Translates the archived objects of a mapping model into values.
struct MappingDecoder {
  let name: String

  func mapping(_ object: ArchivedObject) throws -> MappingModel {
    guard object.isKind(of: "NSMappingModel") else {
      throw ArchiveFault(key: "root", problem: "is no NSMappingModel")
    }
    var mapping = MappingModel(name: name)
    for archived in try object.elements("NSEntityMappings") {
      let entity = try entityMapping(archived)
      if let source = entity.sourceEntityName {
        mapping.source.entityHashes[source] = try archived.object("NSSourceEntityVersionHash")?.bytes()
      }
      if let destination = entity.destinationEntityName {
        mapping.destination.entityHashes[destination] = try archived.object("NSDestinationEntityVersionHash")?.bytes()
      }
      guard !mapping.entityMappings.contains(where: { $0.name == entity.name }) else {
        throw ArchiveFault(key: "NSMappingName", problem: "is \(quoted(entity.name)) for two entity mappings")
      }
      mapping.entityMappings.append(entity)
    }
    return mapping
  }

  private func entityMapping(_ object: ArchivedObject) throws -> EntityMapping {
    let source = try object.string("NSSourceEntityName")
    let destination = try object.string("NSDestinationEntityName")
    var mapping = EntityMapping(
      name: try object.string("NSMappingName") ?? EntityMapping.defaultName(from: source, to: destination),
      sourceEntityName: source, destinationEntityName: destination,
      policyClassName: try object.string("NSEntityMigrationPolicyClassName"))
    mapping.attributeMappings = try object.elements("NSAttributeMappings").map(propertyMapping)
    mapping.relationshipMappings = try object.elements("NSRelationshipMappings").map(propertyMapping)
    for (key, value) in try object.entries("NSUserInfo") {
      mapping.userInfo[key] = value.text.map(UserInfoValue.string)
    }
    if let expression = try object.object("NSSourceExpression") {
      mapping.sourceFilter = try filter(expression, of: mapping.name)
    }
    return mapping
  }

  private func propertyMapping(_ object: ArchivedObject) throws -> PropertyMapping {
    let name = try object.required("NSPropertyName")
    guard let expression = try object.object("NSValueExpression") else {
      return PropertyMapping(name: name, value: .none)
    }
    do {
      return PropertyMapping(name: name, value: .expression(try PredicateReader().expression(expression)))
    } catch let fault as ArchiveFault {
      return PropertyMapping(name: name, value: .unreadable("key “\(fault.key)” \(fault.problem)"))
    }
  }

  /// The predicate in `FETCH(FUNCTION($manager, "fetchRequestForSourceEntityNamed:predicateString:", entity, predicate), …)`; `nil` if
  /// it takes all rows.
  /// - Throws: `ArchiveFault` for any other expression: without its filter, the mapping would take rows that it excludes.
  private func filter(_ object: ArchivedObject, of mapping: String) throws -> String? {
    func unknown(_ problem: String) -> ArchiveFault {
      ArchiveFault(
        key: "NSSourceExpression", problem: "of the entity mapping \(quoted(mapping)) \(problem)", isUnknown: true)
    }
    let request = try object.object("NSFetchRequestExpression") ?? object.object("NSRequestExpression") ?? object
    let expression: ExpressionTree
    do { expression = try PredicateReader().expression(request) } catch let fault as ArchiveFault {
      throw unknown("has a filter of unknown form: key \(quoted(fault.key)) \(fault.problem)")
    }
    guard case .function("FUNCTION", let arguments) = expression, arguments.count == 4,
      arguments[1] == .string("fetchRequestForSourceEntityNamed:predicateString:"),
      case .string(let predicate) = arguments[3]
    else { throw unknown("has a filter of unknown form: \(onOneLine(expression.format, limit: 200))") }
    return predicate == "TRUEPREDICATE" ? nil : predicate
  }
}
