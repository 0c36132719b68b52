import Foundation

@testable import SwiftData

/// Reads every property of every object of a store through model classes.
struct StoreReading {
  private let schema: Schema
  private let context: ModelContext

  init(_ type: any VersionedSchema.Type, store: URL) throws {
    schema = Schema(versionedSchema: type)
    let configuration = ModelConfiguration(schema: schema, url: store)
    context = ModelContext(try ModelContainer(for: schema, configurations: configuration))
  }

  func read() throws -> ReadStore {
    var result = ReadStore()
    for model in schema.classes.values {
      var rows: [Int: [String: ReadValue]] = [:]
      let objects = try fetch(model.type)
      guard try count(model.type) == objects.count else {
        throw RunnerError(description: "\(model.entityName): counted and fetched objects differ in number")
      }
      for object in objects where object.persistentModelID.entityName == model.entityName {
        let key = try Self.name(of: object).key
        guard rows.updateValue(try values(of: object, model), forKey: key) == nil else {
          throw RunnerError(description: "\(model.entityName): two objects of key \(key)")
        }
      }
      if !rows.isEmpty { result.objects[model.entityName] = rows }
    }
    guard !context.hasChanges else { throw RunnerError(description: "the context has changes after reading") }
    return result
  }

  private func fetch<Model: PersistentModel>(_ type: Model.Type) throws -> [any PersistentModel] {
    try context.fetch(FetchDescriptor<Model>())
  }

  private func count<Model: PersistentModel>(_ type: Model.Type) throws -> Int {
    try context.fetchCount(FetchDescriptor<Model>())
  }

  private func values(of object: any PersistentModel, _ model: ModelClass) throws -> [String: ReadValue] {
    var values: [String: ReadValue] = [:]
    for property in model.properties where !property.isTransient {
      let value = (object as Any)[keyPath: property.keyPath]
      values[property.persistentName] = try Self.value(
        value, isOrdered: property.relationship?.options.contains(.ordered) ?? false)
    }
    return values
  }

  private static func name(of object: any PersistentModel) throws -> ReadObject {
    let identifier = object.persistentModelID
    guard identifier.primaryKey.first == "p", let key = Int(identifier.primaryKey.dropFirst()) else {
      throw RunnerError(description: "\(identifier) is of no row")
    }
    return ReadObject(entity: identifier.entityName, key: key)
  }

  private static func value(_ any: Any?, isOrdered: Bool) throws -> ReadValue? {
    guard let any else { return nil }
    if let optional = any as? any OptionalType {
      return try optional.wrappedValue.flatMap { try value($0, isOrdered: isOrdered) }
    }
    switch any {
    case let value as Bool: return .integer(value ? 1 : 0)
    case let value as any FixedWidthInteger: return .integer(Int64(clamping: value))
    case let value as Double: return .double(value.bitPattern)
    case let value as Float: return .double(Double(value).bitPattern)
    case let value as Decimal: return .decimal(value.description)
    case let value as String: return .text(Data(value.utf8))
    case let value as Date: return .double(value.timeIntervalSinceReferenceDate.bitPattern)
    case let value as Data: return .bytes(value)
    case let value as UUID: return .bytes(withUnsafeBytes(of: value.uuid) { Data($0) })
    case let value as URL: return .text(Data(value.absoluteString.utf8))
    case let value as any PersistentModel: return .object(try name(of: value))
    case let value as [any PersistentModel]:
      let names = try value.map { try name(of: $0) }
      return names.isEmpty ? nil : .objects(isOrdered ? names : names.sorted())
    default:
      let parts = try Mirror(reflecting: any).children.compactMap { child in
        try child.label.flatMap { label in try value(child.value, isOrdered: false).map { (label, $0) } }
      }
      return parts.isEmpty ? nil : .parts(Dictionary(uniqueKeysWithValues: parts))
    }
  }
}
