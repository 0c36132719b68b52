import CoreDataStore
import Foundation
import ManagedModel
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import StoreExchange

/// Lines whose form is unusual or wrong.
@Suite(.damagesStores("names that the checker does not quote")) struct LineFormTests {
  /// An entity with an archived value, and with names that lines and tables write otherwise.
  private static let model = ModelDescription(entities: [
    EntityDescription(
      name: "Thing",
      properties: [
        .attribute(AttributeDescription(name: "value", type: .transformable, isOptional: true)),
        .attribute(AttributeDescription(name: "price", type: .decimal, isOptional: true)),
        .attribute(AttributeDescription(name: "$id", type: .string, isOptional: true)),
        .attribute(AttributeDescription(name: "place.city", type: .string, isOptional: true)),
        .attribute(
          AttributeDescription(
            name: "place", type: .composite, isOptional: true, compositeName: "Place",
            elements: [
              AttributeDescription(name: "city", type: .string, isOptional: true),
              AttributeDescription(name: "$x", type: .string, isOptional: true),
            ])),
      ])
  ])

  // MARK: Byte order mark

  @Test(
    "A byte order mark before the first line is left out, also if that line is blank",
    arguments: ["\u{FEFF}", "\u{FEFF}\n", "\u{FEFF} \r\n\n"])
  func byteOrderMark(_ beginning: String) throws {
    let world = try ImportExportWorld()
    #expect(try world.take(beginning).inserted == 0)
    #expect(try world.take(beginning + #"{"$entity":"Shelf","label":"A"}"#).inserted == 1)
  }

  @Test("A mistake after a byte order mark has the column that it has without the mark") func columnAfterMark() throws {
    let world = try ImportExportWorld()
    let line = #"{"$entity":"Shelf","label":1}"#
    #expect(try world.refusal("\u{FEFF}" + line)?.column == 28)
    #expect(try world.refusal(line)?.column == 28)
    // A mark before another line is a mistake.
    #expect(try world.refusal("\n\u{FEFF}" + line)?.column == 1)
  }

  // MARK: Names

  @Test("A property that a line names twice, with one $ and with two, is refused")
  func namesTwice() throws {
    let world = try ImportExportWorld(Self.model)
    let element = try #require(try world.refusal(#"{"$entity":"Thing","place":{"$x":"a","$$x":"b"}}"#))
    #expect(element.problem == "“$x” has a second value, under the name “$$x”")
    #expect(element.column == 44)
    try world.take(#"{"$entity":"Thing","$$id":"mine","place":{"$$x":"a"}}"#)
    #expect(try world.dump().contains(#""$$id":"mine""#))
  }

  @Test("The columns of a table have different names, and $id is the column of identifiers only") func header() throws {
    let world = try ImportExportWorld(Self.model)
    let table = ObjectTable(try world.store.storedEntities.existingEntity("Thing"))
    #expect(Set(table.header).count == table.header.count)
    #expect(table.header.first == "$id")
    #expect(table.header.filter { $0.hasPrefix("$") } == ["$id", "$$id"])
    #expect(Set(table.header).isSuperset(of: ["place.city", "place.city_2", "place.$x"]))
    #expect(table.renamings.map(\.name) == ["place.city_2"])
  }

  // MARK: Archived values

  @Test(
    "A value that does not have the form of its mark is refused with its place and the form",
    arguments: [
      (#"{"$url":["x","y"]}"#, 36, "$url", "a list of a text and the base"),
      (#"{"$url":["x"]}"#, 36, "$url", "a text"), (#"{"$url":["x",null]}"#, 36, "$url", "a text"),
      (#"{"$url":{"$url":"x"}}"#, 36, "$url", "a text"), (#"{"$url":7}"#, 36, "$url", "a text"),
      (#"{"$integer":5}"#, 40, "$integer", "a text of digits"),
      (#"{"$integer":"1.5"}"#, 40, "$integer", "a text of digits"),
      (#"{"$real":"1.5"}"#, 37, "$real", "a number"), (#"{"$decimal":1.5}"#, 40, "$decimal", "a text such as"),
      (#"{"$decimal":"1.5 or so"}"#, 40, "$decimal", "a text such as"),
      (#"{"$date":"yesterday"}"#, 37, "$date", "a text such as"), (#"{"$date":[]}"#, 37, "$date", "a text such as"),
      (#"{"$uuid":"x"}"#, 37, "$uuid", "36 characters"), (#"{"$archivedData":"?"}"#, 45, "$archivedData", "base64"),
      (#"{"$archivedData":[1]}"#, 45, "$archivedData", "base64"),
      (#"{"$mutableString":1}"#, 46, "$mutableString", "a text"), (#"{"$set":{"a":1}}"#, 36, "$set", "a list"),
      (#"{"$array":"a"}"#, 38, "$array", "a list"), (#"{"$orderedSet":null}"#, 43, "$orderedSet", "a list"),
      (#"{"$dictionary":[["a"]]}"#, 43, "$dictionary", "a list of pairs"),
      (#"{"$dictionary":["ab"]}"#, 43, "$dictionary", "a list of pairs"),
    ])
  func wrongForms(_ value: String, _ column: Int, _ mark: String, _ form: String) throws {
    let world = try ImportExportWorld(Self.model)
    let error = try #require(try world.refusal(#"{"$entity":"Thing","value":"# + value + "}"))
    #expect(error.problem == "attribute “value”: the value is not what “\(mark)” stands for")
    #expect(error.remedy?.contains(form) == true, "\(error.remedy ?? "")")
    #expect(error.line == 1)
    #expect(error.column == column)
  }

  @Test(
    "A mark beside other names, or that there is not, is refused",
    arguments: [
      (#"{"$date":"2024-01-01T00:00:00Z","x":1}"#, "attribute “value”: “$date” is not the only name of its object"),
      (#"[{"x":1,"$stored":1}]"#, "attribute “value”: “$stored” is not the only name of its object"),
      (#"{"$dictionary":{"$set":[]}}"#, "attribute “value”: “$set” is not the only name of its object"),
      (#"{"$day":1}"#, "attribute “value”: there is no mark “$day”"),
      (#"{"$stored":[1]}"#, "attribute “value”: the value is not a stored value"),
      (#"{"$stored":{"$data":1}}"#, "attribute “value”: the value is not a stored value"),
      (#"{"$stored":{"$data":"?"}}"#, "attribute “value”: the value is not a stored value"),
    ])
  func wrongMarks(_ value: String, _ problem: String) throws {
    let world = try ImportExportWorld(Self.model)
    #expect(try world.refusal(#"{"$entity":"Thing","value":"# + value + "}")?.problem == problem)
  }

  @Test(
    "Values of every mark are read as they are printed",
    arguments: [
      #"{"$url":["page",{"$url":"https://example.org/"}]}"#, #"{"$url":["a",{"$url":["b",{"$url":"c:/"}]}]}"#,
      #"{"$date":"NaN"}"#, #"{"$date":"Infinity"}"#, #"{"$integer":"18446744073709551615"}"#,
      #"{"$mutableString":"a"}"#, #"{"$mutableArchivedData":"AP8="}"#, #"{"$orderedSet":["a"]}"#,
      #"{"$mutableOrderedSet":[]}"#, #"{"$mutableSet":[1]}"#, #"{"$uuid":"00112233-4455-6677-8899-AABBCCDDEEFF"}"#,
      #"{"$dictionary":[[1,"a"]]}"#, #"{"$mutableDictionary":{"$$a":1}}"#, #"{"$mutableDictionary":[[1,"a"]]}"#,
      #"{"$$date":1,"x":2}"#,
    ])
  func marks(_ value: String) throws {
    let world = try ImportExportWorld(Self.model)
    try world.take(#"{"$entity":"Thing","value":"# + value + "}")
    #expect(try world.dump() == #"{"$entity":"Thing","$id":"Thing/p1","value":"# + value + "}\n")
  }

  // MARK: Decimals

  @Test("A text in a column of decimals that only begins with a number is printed as it is stored") func decimalText()
    throws
  {
    let world = try ImportExportWorld(Self.model)
    let line = #"{"$entity":"Thing","$id":"Thing/p1","price":{"$stored":"12 or so"}}"# + "\n"
    try world.take(line) { $0.keepsKeys = true }
    #expect(try world.dump() == line)
  }
}
