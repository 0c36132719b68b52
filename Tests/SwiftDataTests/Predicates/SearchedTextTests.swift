import Foundation
import SwiftData
import Testing

/// What a search by a person finds, as Core Data's searches in SQLite do.
@Suite struct SearchedTextTests {
  @Model final class Station {
    var name: String
    init(_ name: String) { self.name = name }
  }

  private let context: ModelContext

  init() throws {
    let container = try ModelContainer(
      for: Station.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
    for name in ["Ａｂｃ １", "abc 2", "ｶﾞ", "ガ", "weiß", "ﬁn", "Œ", "Ł"] { context.insert(Station(name)) }
  }

  /// What a fetch finds, which is also what the predicate says of each object by itself.
  private func found(_ part: String) throws -> Set<String> {
    let predicate = #Predicate<Station> { $0.name.localizedStandardContains(part) }
    let found = Set(try context.fetch(FetchDescriptor(predicate: predicate)).map(\.name))
    let all = try context.fetch(FetchDescriptor<Station>())
    #expect(try Set(all.filter { try predicate.evaluate($0) }.map(\.name)) == found, "\(part)")
    return found
  }

  @Test(arguments: [false, true]) func `A search ignores the width of characters`(_ isSaved: Bool) throws {
    if isSaved { try context.save() }
    for part in ["abc", "ＡＢＣ", "ａBc "] { #expect(try found(part) == ["Ａｂｃ １", "abc 2"], "\(part)") }
    #expect(try found("1") == ["Ａｂｃ １"] && found("２") == ["abc 2"])
    for part in ["ｶﾞ", "ガ"] { #expect(try found(part) == ["ｶﾞ", "ガ"], "\(part)") }
  }

  @Test(arguments: [false, true]) func `A search finds letters in ligatures, and keeps letters of their own apart`(
    _ isSaved: Bool
  ) throws {
    if isSaved { try context.save() }
    #expect(try found("WEISS") == ["weiß"] && found("fi") == ["ﬁn"])
    #expect(try found("oe").isEmpty && found("l").isEmpty)
  }
}
