import Foundation
import SwiftData
import Testing

/// A local copy of a server's data: decoded, inserted, brought up to date.
@Suite("A local copy of server data")
struct ServerDataTests {
  @Model
  final class Station: Codable {
    @Attribute(.unique) var code: String
    var name: String
    var level: Double
    @Relationship(deleteRule: .cascade, inverse: \Reading.station) var readings: [Reading] = []

    init(code: String, name: String = "", level: Double = 0) {
      self.code = code
      self.name = name
      self.level = level
    }

    // Apple's compiler derives no Codable for models either.
    enum CodingKeys: String, CodingKey {
      case code, name
      case level = "water_level"
    }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      code = try container.decode(String.self, forKey: .code)
      name = try container.decode(String.self, forKey: .name)
      level = try container.decode(Double.self, forKey: .level)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(code, forKey: .code)
      try container.encode(name, forKey: .name)
      try container.encode(level, forKey: .level)
    }

    /// The station with a code: the stored one, or a new one.
    static func with(code: String, in context: ModelContext) throws -> Station {
      let descriptor = FetchDescriptor<Station>(predicate: #Predicate { $0.code == code })
      if let known = try context.fetch(descriptor).first { return known }
      let station = Station(code: code)
      context.insert(station)
      return station
    }
  }

  @Model
  final class Reading {
    @Attribute(.unique) var number: Int
    var station: Station?
    init(number: Int) { self.number = number }
  }

  private func feed(_ level: Double, _ codes: [String]) -> Data {
    Data(
      "[\(codes.map { #"{"code": "\#($0)", "name": "At \#($0)", "water_level": \#(level)}"# }.joined(separator: ","))]"
        .utf8)
  }

  @Test(arguments: ChapterPlace.allCases)
  func `decoded models are inserted as they are`(_ place: ChapterPlace) throws {
    let store = try ChapterStore(place, Station.self)
    for station in try JSONDecoder().decode([Station].self, from: feed(2.5, ["A", "B"])) {
      store.context.insert(station)
    }
    try store.context.save()
    let read = try store.freshContext().fetch(FetchDescriptor<Station>(sortBy: [SortDescriptor(\.code)]))
    #expect(read.map(\.name) == ["At A", "At B"])
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(
      String(decoding: try encoder.encode(read[0]), as: UTF8.self) == #"{"code":"A","name":"At A","water_level":2.5}"#)
  }

  @Test(arguments: ChapterPlace.allCases)
  func `a second feed updates known objects and keeps their relationships`(_ place: ChapterPlace) throws {
    let store = try ChapterStore(place, Station.self)
    let station = Station(code: "A")
    store.context.insert(station)
    station.readings = [Reading(number: 1), Reading(number: 2)]
    try store.context.save()
    for decoded in try JSONDecoder().decode([Station].self, from: feed(4, ["A", "C"])) {
      let known = try Station.with(code: decoded.code, in: store.context)
      (known.name, known.level) = (decoded.name, decoded.level)
    }
    try store.context.save()
    let read = try store.freshContext().fetch(FetchDescriptor<Station>(sortBy: [SortDescriptor(\.code)]))
    #expect(read.map(\.level) == [4, 4])
    #expect(read.map(\.name) == ["At A", "At C"])
    #expect(Set(read[0].readings.map(\.number)) == [1, 2])
  }

  @Test(arguments: ChapterPlace.allCases)
  func `objects missing from a feed are deleted`(_ place: ChapterPlace) throws {
    let store = try ChapterStore(place, Station.self)
    for station in try JSONDecoder().decode([Station].self, from: feed(1, ["A", "B", "C"])) {
      store.context.insert(station)
    }
    try store.context.save()
    let kept: Set<String> = ["A", "C"]
    try store.context.delete(model: Station.self, where: #Predicate { !kept.contains($0.code) })
    try store.context.save()
    #expect(
      try store.freshContext().fetch(FetchDescriptor<Station>(sortBy: [SortDescriptor(\.code)])).map(\.code) == [
        "A", "C",
      ])
  }
}
