import Foundation
import SwiftData

/// Payloads in the columns of earlier versions, one for each case, and in the columns of today.
enum FormerPayloads {
  struct File: Codable, Equatable {
    var sha256: String
    var path: String?
  }

  struct Everything: Codable, Equatable {
    var id: UUID
    var at: Date
    var price: Decimal
    var count: UInt64
    var bytes: Data
    var link: URL
    var flag: Bool
    var tags: [String]
  }

  /// Has the columns that earlier versions made of the enumeration.
  @Composite struct Former: Codable, Equatable {
    @Attribute(.codable) var file: File?
    var mail: String?
    var nothing: String?
    @Attribute(.codable) var everything: Everything?
    var size: Double?
  }

  enum Receipt: Codable, Equatable {
    case file(sha256: String, path: String?)
    case mail(subject: String)
    case nothing
    case everything(
      id: UUID, at: Date, price: Decimal, count: UInt64, bytes: Data, link: URL, flag: Bool, tags: [String])
    case size(Double)
  }

  enum V1: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Expense.self] }

    @Model final class Expense {
      var label: String
      @Attribute(
        .preserveValueOnDeletion,
        .userInfo(["EnumType": true, "enum": ["file", "mail", "nothing", "everything", "size"]]))
      var receipt: Former?
      init(_ label: String, _ receipt: Former?) { (self.label, self.receipt) = (label, receipt) }
    }
  }

  enum V2: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Expense.self] }

    @Model final class Expense {
      var label: String
      @Attribute(.preserveValueOnDeletion) var receipt: Receipt?
      init(_ label: String, _ receipt: Receipt?) { (self.label, self.receipt) = (label, receipt) }
    }
  }

  /// A case that had one value has two.
  enum V3: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Expense.self] }

    enum Receipt: Codable, Equatable {
      case file(sha256: String, path: String?)
      case mail(subject: String, sender: String?)
      case nothing
      case size(Double)
    }

    @Model final class Expense {
      var label: String
      @Attribute(.preserveValueOnDeletion) var receipt: Receipt?
      init(_ label: String, _ receipt: Receipt?) { (self.label, self.receipt) = (label, receipt) }
    }
  }

  /// Lists no version with the former columns.
  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V2.self, V3.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: V2.self, toVersion: V3.self)] }
  }

  private static let all = Everything(
    id: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255)),
    at: Date(timeIntervalSinceReferenceDate: 12.25), price: 12.5, count: .max, bytes: Data([0, 255, 7]),
    link: URL(filePath: "/a b"), flag: true, tags: ["é", "/\"\n"])

  /// Pairs of equal values.
  static let values: [(former: Former?, now: Receipt?)] = [
    (Former(file: File(sha256: "abc", path: "ab/c.pdf")), .file(sha256: "abc", path: "ab/c.pdf")),
    (Former(file: File(sha256: "", path: nil)), .file(sha256: "", path: nil)),
    (Former(mail: "Hello"), .mail(subject: "Hello")),
    (Former(nothing: "nothing"), .nothing),
    (
      Former(everything: all),
      .everything(
        id: all.id, at: all.at, price: all.price, count: all.count, bytes: all.bytes, link: all.link, flag: all.flag,
        tags: all.tags)
    ),
    (Former(size: 2.5), .size(2.5)),
    (nil, nil),
  ]
}
