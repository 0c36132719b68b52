import ErrorReporting
import ManagedModel
package import PropertyLists

/// The reason why a model's archive cannot be read or written.
package enum ModelArchiveError: ReportableError, Sendable, Hashable {
  case compression(RawDeflateError)
  case propertyList(PropertyListError)
  /// An `.omo` file, which Core Data derives from the `.mom` beside it.
  case optimizedModel
  case notAKeyedArchive(String)
  /// The archive lacks a part of a managed object model, or has a damaged one.
  case malformed(entity: String?, property: String?, key: String, problem: String)
  /// The archive has content of a form that no archive seen so far explains.
  case unknown(entity: String?, property: String?, key: String, problem: String)
  /// The version hash includes a part of the model that no archive seen so far shows how to write.
  case unwritable(entity: String, property: String, what: String)
  /// The model's archive would be larger than ``ModelArchive/decode(_:)`` reads.
  case tooLarge(entityCount: Int)
}

extension ModelArchiveError {
  package var problem: String {
    switch self {
    case .compression(let error): "the cached model cannot be decompressed: \(error)"
    case .propertyList(let error): "the model's archive is not a binary property list: \(error)"
    case .optimizedModel: "this is an optimised model (.omo)"
    case .notAKeyedArchive(let problem): "the file is no keyed archive of a managed object model: \(problem)"
    case .malformed(let entity, let property, let key, let problem):
      "the model's archive is damaged: " + Self.place(entity, property) + "key \(quoted(key)) \(problem)"
    case .unknown(let entity, let property, let key, let problem):
      "the model's archive cannot be read: " + Self.place(entity, property) + "key \(quoted(key)) \(problem)"
    case .unwritable(let entity, let property, let what):
      "the model cannot be archived: " + Self.place(entity, property)
        + "the archived form of \(what) is not known"
    case .tooLarge(let entityCount):
      "the model cannot be archived: its \(entityCount) entities with their inherited properties are too large to be read"
    }
  }

  package var remedy: String? {
    switch self {
    case .compression: "restore the store from a backup, or use the model that it was made with"
    case .optimizedModel: "use the .mom file beside it"
    case .notAKeyedArchive: "use a .mom file or an .xcdatamodeld bundle"
    case .propertyList, .malformed: "compile the model again, or use its .xcdatamodeld bundle"
    case .unknown: "use the source that it was compiled from, an .xcdatamodeld or .xcmappingmodel"
    case .tooLarge: "let its entities inherit fewer properties, or divide the model"
    case .unwritable: "change it, or use the model's .xcdatamodeld bundle"
    }
  }

  private static func place(_ entity: String?, _ property: String?) -> String {
    [entity.map { "entity \(quoted($0))" }, property.map { "property \(quoted($0))" }]
      .compactMap(\.self).map { $0 + ", " }.joined()
  }
}
