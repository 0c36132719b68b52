import Foundation
import ManagedModel
import SQLite
import StoreTestSupport
import TestSupport
import Testing

@testable import StoreExchange

/// What is printed of a store makes the same store again.
@Suite(.damagesStores("names that the checker does not quote")) struct RoundTripTests {
  /// An entity with an attribute of each type, whose names are of every kind.
  private static let types = ModelDescription(
    entities: [
      EntityDescription(
        name: "Thing",
        properties: AttributeType.allCases.filter { ![.undefined, .objectID, .composite].contains($0) }.map {
          .attribute(AttributeDescription(name: "\($0)", type: $0, isOptional: true))
        } + [
          .attribute(AttributeDescription(name: "$id", type: .string, isOptional: true)),
          .attribute(AttributeDescription(name: "quote\"back\\slash", type: .string, isOptional: true)),
          .attribute(
            AttributeDescription(name: "filled", type: .integer64, isOptional: true, defaultValue: .integer(7))),
          .attribute(
            AttributeDescription(
              name: "place", type: .composite, isOptional: true, compositeName: "Place",
              elements: [
                AttributeDescription(name: "city", type: .string, isOptional: true),
                AttributeDescription(
                  name: "point", type: .composite, isOptional: true, compositeName: "Point",
                  elements: [
                    AttributeDescription(name: "x", type: .double, isOptional: true),
                    AttributeDescription(name: "y", type: .double, isOptional: true),
                  ]),
              ])),
        ])
    ])

  @Test(
    "Values are read as they were printed, whatever they are",
    arguments: [
      #""string":"""#, #""string":"a\u0000b""#, #""string":"\"\\\n\r\t\u001b[31m\u0085""#, #""string":"👩‍👩‍👧 é é""#,
      #""boolean":true"#, #""boolean":false"#, #""integer16":-32768"#, #""integer64":-9223372036854775808"#,
      #""integer64":9223372036854775807"#, #""double":0.1"#, #""double":5e-324"#,
      #""double":1.7976931348623157e+308"#, #""double":"Infinity""#, #""float":"-Infinity""#, #""decimal":"NaN""#,
      #""decimal":"-12.5""#, #""date":"2024-02-29T12:00:00.123456Z""#, #""date":"1969-12-31T23:59:59.999Z""#,
      #""date":"0001-01-01T00:00:00Z""#, #""date":1e+16"#, #""date":"2001-01-01T00:00:00.000001Z""#,
      #""uuid":"00112233-4455-6677-8899-AABBCCDDEEFF""#, #""uri":"https://example.org/ä?b=c#d""#, #""binary":"AP8=""#,
      #""binary":"""#, #""transformable":["a",1,2.5,true,null,{"k":[]}]"#, #""transformable":{"$set":["a","b"]}"#,
      #""transformable":{"$date":"2024-01-01T00:00:00Z"}"#, #""transformable":{"$$set":1}"#,
      #""transformable":{"$decimal":"1.5"}"#, #""transformable":{"$archivedData":"AP8="}"#,
      #""transformable":{"$url":"https://example.org"}"#, #""transformable":{"$mutableArray":[{"$real":"NaN"}]}"#,
      #""transformable":{"$stored":{"$data":"AP8="}}"#, #""uuid":{"$stored":{"$data":"AAE="}}"#,
      #""integer64":{"$stored":"no number"}"#, #""date":{"$stored":"yesterday"}"#,
      #""string":{"$stored":{"$data":"AA=="}}"#,
      #""$$id":"mine""#, #""quote\"back\\slash":"x""#, #""filled":null"#,
      #""place":{"city":"Sofia","point":{"y":2.5}}"#,
    ])
  func values(_ property: String) throws {
    let world = try ImportExportWorld(Self.types)
    try world.take(#"{"$entity":"Thing","# + property + "}")
    let printed = try world.dump()
    let isFilled = property.hasPrefix(#""filled""#)
    let body = printed.dropFirst(#"{"$entity":"Thing","$id":"Thing/p1","#.count).dropLast(2)
    let own = body.replacing(#""filled":7"#, with: "").trimmingCharacters(in: [","])
    #expect(isFilled ? body.contains(property) : own == property, "\(printed)")
    let second = try ImportExportWorld(Self.types)
    try second.take(printed) { $0.keepsKeys = true }
    #expect(try second.dump() == printed)
  }

  @Test("Moments are read as exactly the numbers that they were printed from") func moments() throws {
    var random = SplitMix(seed: 118)
    for _ in 0..<(FullTests.areWanted ? 20_000 : 2_000) {
      let magnitude = Double.random(in: -6...10.7, using: &random)
      let seconds = (Bool.random(using: &random) ? 1 : -1) * pow(10, magnitude)
      for value in [seconds, seconds.rounded(), (seconds * 1000).rounded() / 1000] {
        guard let text = ExportDate.text(value) else { continue }
        #expect(ExportDate.seconds(text) == value, "\(text)")
      }
    }
    #expect(ExportDate.text(0) == "2001-01-01T00:00:00Z")
    #expect(ExportDate.text(-0.25) == "2000-12-31T23:59:59.75Z")
    #expect(ExportDate.text(-978_307_200) == "1970-01-01T00:00:00Z")
    #expect(ExportDate.text(730_944_000) == "2024-03-01T00:00:00Z")
    #expect(ExportDate.seconds("2024-03-01T02:30:00+02:30") == 730_944_000)
    for value in [Double.nan, .infinity, 1e15, -1e13, 1e-300, -0.0] { #expect(ExportDate.text(value) == nil) }
    for text in [
      "", "2024-02-30T00:00:00Z", "2024-01-01", "2024-01-01T24:00:00Z", "2024-01-01T00:00:00", "2024-01-01T00:00:00.Z",
    ] {
      #expect(ExportDate.seconds(text) == nil, "\(text)")
    }
  }
}
