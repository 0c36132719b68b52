// Begun by generate-models from Hostile.xcdatamodeld and never written again: this file is yours to edit.

import Foundation
import SwiftData

extension HostileMigrationPlan {
  /// From ``HostileSchemaV1`` to ``HostileSchemaV2``, as the mapping model “Hostile "́ \u{600}" ൎ" "🏻 \\(1) \\́ \u{d}\u{a}
  /// """ return ” says.
  ///
  /// The stage keeps rows and values that correspond by name. Values that an expression of the mapping model needs are
  /// read before the stage and set after it.
  static var migrateV1toV2: MigrationStage {
    var classRows: [ClassRow] = []
    var typeRows: [TypeRow] = []
    var keyRows: [KeyRow] = []
    var leftRows: [LeftRow] = []
    var setRows: [SetRow] = []
    var objectRows: [ObjectRow] = []
    var computedRows: [ComputedRow] = []
    var rowKeyRows: [RowKeyRow] = []
    var mappingRows: [MappingRow] = []
    var ൎ1ReturnRows: [ൎ1ReturnRow] = []
    return .custom(
      fromVersion: HostileSchemaV1.self,
      toVersion: HostileSchemaV2.self,
      willMigrate: { context in
        classRows = try context.fetch(
          FetchDescriptor<HostileSchemaV1.XEnumEvil>(predicate: #Predicate { $0.text != "\u{600}\"\u{301}" })
        )
        .map(ClassRow.init)
        typeRows = try context.fetch(FetchDescriptor<HostileSchemaV1.Struct>())
          .filter(takesTypeRow)
          .map(TypeRow.init)
        keyRows = try context.fetch(FetchDescriptor<HostileSchemaV1.ThreadEntity>())
          .filter { type(of: $0) == HostileSchemaV1.ThreadEntity.self }
          .map(KeyRow.init)
        leftRows = try context.fetch(FetchDescriptor<HostileSchemaV1.ThreadEntity>())
          .filter { type(of: $0) == HostileSchemaV1.ThreadEntity.self }
          .map(LeftRow.init)
        setRows = try context.fetch(FetchDescriptor<HostileSchemaV1.TimerEntity>())
          .filter(takesSetRow)
          .map(SetRow.init)
        objectRows = try context.fetch(
          FetchDescriptor<HostileSchemaV1.TimerEntity>(predicate: #Predicate { _ in false })
        )
        .map(ObjectRow.init)
        computedRows = try context.fetch(FetchDescriptor<HostileSchemaV1.Computed>())
          .map(ComputedRow.init)
        rowKeyRows = try context.fetch(FetchDescriptor<HostileSchemaV1.Old>())
          .map(RowKeyRow.init)
        mappingRows = try context.fetch(FetchDescriptor<HostileSchemaV1.Old>())
          .map(MappingRow.init)
        ൎ1ReturnRows = try context.fetch(FetchDescriptor<HostileSchemaV1.Computed>())
          .map(ൎ1ReturnRow.init)
      },
      didMigrate: { context in
        // No entity mapping takes the rows of HostileSchemaV2.SubType: they stay behind.
        for object in try context.fetch(FetchDescriptor<HostileSchemaV2.SubType>()) {
          object.classes = []
          try leaveBehindSubType(object, context)
          context.delete(object)
        }
        // No entity mapping takes the rows of HostileSchemaV2.Type1Return: they stay behind.
        for object in try context.fetch(FetchDescriptor<HostileSchemaV2.Type1Return>()) {
          context.delete(object)
        }
        // The entity mapping “class”.
        let class2Taken = Set(classRows.map(\.persistentModelID))
        var class2: [PersistentIdentifier: HostileSchemaV2.XEnumEvil] = [:]
        for object in try context.fetch(FetchDescriptor<HostileSchemaV2.XEnumEvil>()) {
          if class2Taken.contains(object.persistentModelID) {
            class2[object.persistentModelID] = object
            continue
          }
          context.delete(object)
        }
        // The entity mapping “type”.
        let type2Taken = Set(typeRows.map(\.persistentModelID))
        var type2: [PersistentIdentifier: HostileSchemaV2.Struct] = [:]
        for object in try context.fetch(FetchDescriptor<HostileSchemaV2.Struct>()) {
          if type2Taken.contains(object.persistentModelID) {
            type2[object.persistentModelID] = object
            continue
          }
          object.`in` = []
          try leaveBehindStruct(object, context)
          context.delete(object)
        }
        // The entity mapping “key”.
        let key2 = Dictionary(
          uniqueKeysWithValues: try context.fetch(FetchDescriptor<HostileSchemaV2.ThreadEntity>())
            .map { ($0.persistentModelID, $0) })
        // The entity mapping “Set”.
        let setTaken = Set(setRows.map(\.persistentModelID))
        var set: [PersistentIdentifier: HostileSchemaV2.TimerEntity] = [:]
        for object in try context.fetch(FetchDescriptor<HostileSchemaV2.TimerEntity>()) {
          if setTaken.contains(object.persistentModelID) {
            set[object.persistentModelID] = object
            continue
          }
          context.delete(object)
        }
        // The entity mapping “computed”.
        let computed2 = Dictionary(
          uniqueKeysWithValues: try context.fetch(FetchDescriptor<HostileSchemaV2.Computed>())
            .map { ($0.persistentModelID, $0) })
        // The entity mapping “left”.
        var left2: [PersistentIdentifier: HostileSchemaV2.ThreadEntity] = [:]
        for row in leftRows {
          let object = try makeThread(row, context)
          context.insert(object)
          left2[row.persistentModelID] = object
        }
        // The entity mapping “rowKey”.
        var rowKey2: [PersistentIdentifier: HostileSchemaV2.New] = [:]
        for row in rowKeyRows {
          let object = HostileSchemaV2.New(value: Date.distantPast)
          context.insert(object)
          rowKey2[row.persistentModelID] = object
        }
        // The entity mapping “”.
        var mapping: [PersistentIdentifier: HostileSchemaV2.New] = [:]
        for row in mappingRows {
          let object = HostileSchemaV2.New(value: Date.distantPast)
          context.insert(object)
          mapping[row.persistentModelID] = object
        }
        // The entity mapping “"́ \u{600}" ൎ" "🏻 \\(1) \\́ \u{d}\u{a} """ return ”.
        var ൎ1Return: [PersistentIdentifier: HostileSchemaV2.New] = [:]
        for row in ൎ1ReturnRows {
          let object = HostileSchemaV2.New(value: Date.distantPast)
          context.insert(object)
          ൎ1Return[row.persistentModelID] = object
        }
        for row in keyRows {
          guard let object = key2[row.persistentModelID] else { continue }
          object.classes = []
        }
        for row in classRows {
          guard let object = class2[row.persistentModelID] else { continue }
          object.`class` = "\"\u{301} \u{600}\" ൎ\" \"🏻 \\(1) \\\u{301} \r\n \"\"\" return "
          object.`in` = row.`class`
          object.xEnumEvilSelf = row.`in`?.uppercased()
          object.xEnumEvilType = try xEnumEvilXEnumEvilType(row, context)
          object.xEnumEvil = try xEnumEvilXEnumEvil(row, context)
          object.text = "kept"
          object.left = nil
          object.right = nil
          object.type = nil
          object.property1Return = nil
          object.property0 = nil
          object.property = nil
          object.xEnumEvilInit = nil
          object.long =
            "🏻 x: y = z, 🏻 x: y = z, 🏻 x: y = z, 🏻 x: y = z, 🏻 x: y = z, 🏻 x: y = z, 🏻 x: y = z, 🏻 x: y = z, 🏻 x: y = z, 🏻 x: y = z, 🏻 x: y = z, 🏻 x: y = z, "
          object.stated = "\"\u{301} \u{600}\" ൎ\" \"🏻 \\(1) \\\u{301} \r\n \"\"\" return "
        }
        for row in typeRows {
          guard let object = type2[row.persistentModelID] else { continue }
          object.owner = try structOwner(row, context)
        }
        for row in keyRows {
          guard let object = key2[row.persistentModelID] else { continue }
          object.place = row.place.map({ HostileSchemaV2.Spot(class: $0.`class`, north: $0.north) })
          object.seat = HostileSchemaV2.Spot(class: row.seat.`class`, north: row.seat.north)
          object.rest = HostileSchemaV2.Spot(class: row.seat.`class`, north: row.seat.north)
        }
        for row in leftRows {
          guard let object = left2[row.persistentModelID] else { continue }
          object.seat = HostileSchemaV2.Spot(class: row.seat.`class`, north: row.seat.north)
          object.place = HostileSchemaV2.Spot(class: row.seat.`class`, north: row.seat.north)
          object.rest = row.place.map({ HostileSchemaV2.Spot(class: $0.`class`, north: $0.north) })
          object.key = try threadKey(row, context)
        }
        for row in setRows {
          guard let object = set[row.persistentModelID] else { continue }
          object.object = row.value
          object.value = nil
        }
        for row in computedRows {
          guard let object = computed2[row.persistentModelID] else { continue }
          object.count =
            try converted(computed(Int64(row.Count), "+", 1, for: "computed.count"), for: "computed.count") {
              Int16(exactly: $0)
            }
        }
        for row in rowKeyRows {
          guard let object = rowKey2[row.persistentModelID] else { continue }
          object.value = row.value
        }
        for row in mappingRows {
          guard let object = mapping[row.persistentModelID] else { continue }
          object.value = try newValue(row, context)
        }
        for row in ൎ1ReturnRows {
          guard let object = ൎ1Return[row.persistentModelID] else { continue }
          object.value = Date(timeIntervalSinceReferenceDate: 0)
        }
        for row in classRows {
          guard let object = class2[row.persistentModelID] else { continue }
          try fooFuncEvil(row, object, context)
        }
        for row in typeRows {
          guard let object = type2[row.persistentModelID] else { continue }
          try class3(row, object, context)
        }
        for row in keyRows {
          guard let object = key2[row.persistentModelID] else { continue }
          try computed3(row, object, context)
        }
        for row in leftRows {
          guard let object = left2[row.persistentModelID] else { continue }
          try migrateV1toV22(row, object, context)
        }
        for row in setRows {
          guard let object = set[row.persistentModelID] else { continue }
          try ൎ1Return2(row, object, context)
        }
        for row in objectRows {
          try context2(row, context)
        }
        for row in rowKeyRows {
          guard let object = rowKey2[row.persistentModelID] else { continue }
          try policy(row, object, context)
        }
        try context.save()
      }
    )
  }

  /// A row of ``HostileSchemaV1.XEnumEvil`` before the stage.
  private struct ClassRow {
    let persistentModelID: PersistentIdentifier
    let `class`: String?
    let `in`: String?
    let xEnumEvilSelf: String?
    let xEnumEvilType: String?
    let left: String?
    let right: String?
    let type: String?
    let property1Return: String?
    let xEnumEvil: String?
    let property0: String?
    let property: String?
    let xEnumEvilInit: String?
    let text: String?
    let long: String?
    let stated: String?
    let classOf: PersistentIdentifier?

    init(_ object: HostileSchemaV1.XEnumEvil) {
      persistentModelID = object.persistentModelID
      `class` = object.`class`
      `in` = object.`in`
      xEnumEvilSelf = object.xEnumEvilSelf
      xEnumEvilType = object.xEnumEvilType
      left = object.left
      right = object.right
      type = object.type
      property1Return = object.property1Return
      xEnumEvil = object.xEnumEvil
      property0 = object.property0
      property = object.property
      xEnumEvilInit = object.xEnumEvilInit
      text = object.text
      long = object.long
      stated = object.stated
      classOf = object.classOf?.persistentModelID
    }
  }

  /// A row of ``HostileSchemaV1.Struct`` before the stage.
  private struct TypeRow {
    let persistentModelID: PersistentIdentifier
    let `in`: [PersistentIdentifier]
    let owner: PersistentIdentifier

    init(_ object: HostileSchemaV1.Struct) {
      persistentModelID = object.persistentModelID
      `in` = object.`in`?.map(\.persistentModelID) ?? []
      owner = object.owner.persistentModelID
    }
  }

  /// A row of ``HostileSchemaV1.ThreadEntity`` before the stage.
  private struct KeyRow {
    let persistentModelID: PersistentIdentifier
    let key: String
    let classes: [PersistentIdentifier]
    let place: HostileSchemaV1.Spot?
    let seat: HostileSchemaV1.Spot
    let rest: HostileSchemaV1.Spot?

    init(_ object: HostileSchemaV1.ThreadEntity) {
      persistentModelID = object.persistentModelID
      key = object.key
      classes = object.classes?.map(\.persistentModelID) ?? []
      place = object.place
      seat = object.seat
      rest = object.rest
    }
  }

  /// A row of ``HostileSchemaV1.ThreadEntity`` before the stage.
  private struct LeftRow {
    let persistentModelID: PersistentIdentifier
    let key: String
    let classes: [PersistentIdentifier]
    let place: HostileSchemaV1.Spot?
    let seat: HostileSchemaV1.Spot
    let rest: HostileSchemaV1.Spot?

    init(_ object: HostileSchemaV1.ThreadEntity) {
      persistentModelID = object.persistentModelID
      key = object.key
      classes = object.classes?.map(\.persistentModelID) ?? []
      place = object.place
      seat = object.seat
      rest = object.rest
    }
  }

  /// A row of ``HostileSchemaV1.TimerEntity`` before the stage.
  private struct SetRow {
    let persistentModelID: PersistentIdentifier
    let value: String?
    let object2: String?

    init(_ object: HostileSchemaV1.TimerEntity) {
      persistentModelID = object.persistentModelID
      value = object.value
      object2 = object.object
    }
  }

  /// A row of ``HostileSchemaV1.TimerEntity`` before the stage.
  private struct ObjectRow {
    let persistentModelID: PersistentIdentifier
    let value: String?
    let object2: String?

    init(_ object: HostileSchemaV1.TimerEntity) {
      persistentModelID = object.persistentModelID
      value = object.value
      object2 = object.object
    }
  }

  /// A row of ``HostileSchemaV1.Computed`` before the stage.
  private struct ComputedRow {
    let persistentModelID: PersistentIdentifier
    let Count: Int16

    init(_ object: HostileSchemaV1.Computed) {
      persistentModelID = object.persistentModelID
      Count = object.Count
    }
  }

  /// A row of ``HostileSchemaV1.Old`` before the stage.
  private struct RowKeyRow {
    let persistentModelID: PersistentIdentifier
    let value: Date

    init(_ object: HostileSchemaV1.Old) {
      persistentModelID = object.persistentModelID
      value = object.value
    }
  }

  /// A row of ``HostileSchemaV1.Old`` before the stage.
  private struct MappingRow {
    let persistentModelID: PersistentIdentifier
    let value: Date

    init(_ object: HostileSchemaV1.Old) {
      persistentModelID = object.persistentModelID
      value = object.value
    }
  }

  /// A row of ``HostileSchemaV1.Computed`` before the stage.
  private struct ൎ1ReturnRow {
    let persistentModelID: PersistentIdentifier

    init(_ object: HostileSchemaV1.Computed) {
      persistentModelID = object.persistentModelID
    }
  }

  /// Prepares the deletion of a row of “Sub Type” that the mapping model leaves behind.
  ///
  /// The object requires “super”, whose delete rule reaches other objects. Save them from it here, or let them go.
  private static func leaveBehindSubType(_ object: HostileSchemaV2.SubType, _ context: ModelContext) throws {
    throw Unwritten(
      description:
        "Not written yet: the deletion of rows of “Sub Type”, whose delete rule for “super” reaches other objects."
    )
  }

  /// The value of x(){}}; enum Evil{.Type in the entity mapping “class”: "́ " ൎ" "🏻 \(1) \́ """ return ("\"́ \" ൎ\" \"🏻 \\(1)
  /// \\́ \"\"\" return ")
  private static func xEnumEvilXEnumEvilType(_ row: ClassRow, _ context: ModelContext) throws -> String? {
    throw Unwritten(description: "Not written yet: the value of x(){}}; enum Evil{.Type in the entity mapping “class”.")
  }

  /// The value of x(){}}; enum Evil{.x(){}}; enum Evil{ in the entity mapping “class”: f()
  private static func xEnumEvilXEnumEvil(_ row: ClassRow, _ context: ModelContext) throws -> String? {
    throw Unwritten(
      description: "Not written yet: the value of x(){}}; enum Evil{.x(){}}; enum Evil{ in the entity mapping “class”."
    )
  }

  /// The policy class “Foo() { } ; func evil” of the entity mapping “class”.
  ///
  /// Runs once for each row, after the expressions of the mapping model have been carried out. Write here what the
  /// class did beyond them.
  /// The user info of the mapping: } = }, "́ " ൎ" "🏻 \(1) \́ """ return = "́ " ൎ" "🏻 \(1) \́ """ return .
  private static func fooFuncEvil(
    _ row: ClassRow,
    _ object: HostileSchemaV2.XEnumEvil,
    _ context: ModelContext
  ) throws {
    throw Unwritten(
      description: "Not written yet: the policy class “Foo() { } ; func evil” of the entity mapping “class”."
    )
  }

  /// Prepares the deletion of a row of “struct” that the mapping model leaves behind.
  ///
  /// The object requires “owner”, whose delete rule reaches other objects. Save them from it here, or let them go.
  private static func leaveBehindStruct(_ object: HostileSchemaV2.Struct, _ context: ModelContext) throws {
    throw Unwritten(
      description:
        "Not written yet: the deletion of rows of “struct”, whose delete rule for “owner” reaches other objects."
    )
  }

  /// The value of struct.owner in the entity mapping “type”: the object requires one, and the mapping model gives none
  private static func structOwner(_ row: TypeRow, _ context: ModelContext) throws -> HostileSchemaV2.ThreadEntity {
    throw Unwritten(description: "Not written yet: the value of struct.owner in the entity mapping “type”.")
  }

  /// The policy class “a.b.class” of the entity mapping “type”.
  ///
  /// Runs once for each row, after the expressions of the mapping model have been carried out. Write here what the
  /// class did beyond them.
  /// The user info of the mapping: } = }, "́ " ൎ" "🏻 \(1) \́ """ return = "́ " ൎ" "🏻 \(1) \́ """ return .
  private static func class3(_ row: TypeRow, _ object: HostileSchemaV2.Struct, _ context: ModelContext) throws {
    throw Unwritten(description: "Not written yet: the policy class “a.b.class” of the entity mapping “type”.")
  }

  /// Whether the entity mapping “type” takes a row: in.@count > 3 AND SELF MATCHES 'x'
  private static func takesTypeRow(_ object: HostileSchemaV1.Struct) throws -> Bool {
    throw Unwritten(description: "Not written yet: the filter of the entity mapping “type”.")
  }

  /// The policy class “computed” of the entity mapping “key”.
  ///
  /// Runs once for each row, after the expressions of the mapping model have been carried out. Write here what the
  /// class did beyond them.
  /// The user info of the mapping: } = }, "́ " ൎ" "🏻 \(1) \́ """ return = "́ " ൎ" "🏻 \(1) \́ """ return .
  private static func computed3(_ row: KeyRow, _ object: HostileSchemaV2.ThreadEntity, _ context: ModelContext) throws {
    throw Unwritten(description: "Not written yet: the policy class “computed” of the entity mapping “key”.")
  }

  /// The new object of a row in the entity mapping “left”, with all that it requires.
  private static func makeThread(_ row: LeftRow, _ context: ModelContext) throws -> HostileSchemaV2.ThreadEntity {
    throw Unwritten(description: "Not written yet: the object of the entity mapping “left”.")
  }

  /// The value of Thread.key in the entity mapping “left”: $source.place.class
  private static func threadKey(_ row: LeftRow, _ context: ModelContext) throws -> String {
    throw Unwritten(description: "Not written yet: the value of Thread.key in the entity mapping “left”.")
  }

  /// The policy class “migrateV1toV2” of the entity mapping “left”.
  ///
  /// Runs once for each row, after the expressions of the mapping model have been carried out. Write here what the
  /// class did beyond them.
  /// The user info of the mapping: } = }, "́ " ൎ" "🏻 \(1) \́ """ return = "́ " ൎ" "🏻 \(1) \́ """ return .
  private static func migrateV1toV22(
    _ row: LeftRow,
    _ object: HostileSchemaV2.ThreadEntity,
    _ context: ModelContext
  ) throws {
    throw Unwritten(description: "Not written yet: the policy class “migrateV1toV2” of the entity mapping “left”.")
  }

  /// The policy class “"́ \u{600}" ൎ" "🏻 \\(1) \\́ \u{d}\u{a} """ return ” of the entity mapping “Set”.
  ///
  /// Runs once for each row, after the expressions of the mapping model have been carried out. Write here what the
  /// class did beyond them.
  /// The user info of the mapping: } = }, "́ " ൎ" "🏻 \(1) \́ """ return = "́ " ൎ" "🏻 \(1) \́ """ return .
  private static func ൎ1Return2(_ row: SetRow, _ object: HostileSchemaV2.TimerEntity, _ context: ModelContext) throws {
    throw Unwritten(
      description:
        "Not written yet: the policy class “\"\u{301} \\u{600}\" ൎ\" \"🏻 \\\\(1) \\\\\u{301} \\u{d}\\u{a} \"\"\" return ” of the entity mapping “Set”."
    )
  }

  /// Whether the entity mapping “Set” takes a row: 1 == 1 OR FALSEPREDICATE
  private static func takesSetRow(_ object: HostileSchemaV1.TimerEntity) throws -> Bool {
    throw Unwritten(description: "Not written yet: the filter of the entity mapping “Set”.")
  }

  /// The policy class “context” of the entity mapping “object”.
  ///
  /// Runs once for each row, after the expressions of the mapping model have been carried out. Write here what the
  /// class did beyond them.
  /// The user info of the mapping: } = }, "́ " ൎ" "🏻 \(1) \́ """ return = "́ " ൎ" "🏻 \(1) \́ """ return .
  private static func context2(_ row: ObjectRow, _ context: ModelContext) throws {
    throw Unwritten(description: "Not written yet: the policy class “context” of the entity mapping “object”.")
  }

  /// The policy class “” of the entity mapping “rowKey”.
  ///
  /// Runs once for each row, after the expressions of the mapping model have been carried out. Write here what the
  /// class did beyond them.
  /// The user info of the mapping: } = }, "́ " ൎ" "🏻 \(1) \́ """ return = "́ " ൎ" "🏻 \(1) \́ """ return .
  private static func policy(_ row: RowKeyRow, _ object: HostileSchemaV2.New, _ context: ModelContext) throws {
    throw Unwritten(description: "Not written yet: the policy class “” of the entity mapping “rowKey”.")
  }

  /// The value of new.value in the entity mapping “”: the object requires one, and the mapping model gives none
  private static func newValue(_ row: MappingRow, _ context: ModelContext) throws -> Date {
    throw Unwritten(description: "Not written yet: the value of new.value in the entity mapping “”.")
  }

  /// Computes with integers, and fails if there is no result. A quotient is cut towards zero.
  private static func computed(
    _ left: Int64, _ symbol: Character, _ right: Int64, for property: String
  ) throws -> Int64 {
    let (result, isMissing) =
      switch symbol {
      case "+": left.addingReportingOverflow(right)
      case "-": left.subtractingReportingOverflow(right)
      case "/": left.dividedReportingOverflow(by: right)
      default: left.multipliedReportingOverflow(by: right)
      }
    if isMissing { throw Unfit(description: "\(property) cannot hold \(left) \(symbol) \(right).") }
    return result
  }

  /// Converts a value, and fails if the new type cannot hold it.
  private static func converted<Old, New>(
    _ value: Old, for property: String, _ convert: (Old) -> New?
  ) throws -> New {
    guard let result = convert(value) else {
      throw Unfit(description: "\(property) cannot hold \(value).")
    }
    return result
  }

  /// A value that a property cannot have.
  private struct Unfit: Error, CustomStringConvertible {
    let description: String
  }

  /// A part of the stage that nobody has written yet.
  private struct Unwritten: Error, CustomStringConvertible {
    let description: String
  }
}
