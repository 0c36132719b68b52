import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// Twin tests: a search finds the objects that a plain search of all texts in memory finds, saved or not.
@Suite("Full-text search, against a search of all texts in memory")
struct SearchTwinTests {
  typealias Text = SearchLibrary.Text
  typealias Letter = SearchLibrary.Letter

  private static let words = [
    "whale", "Whale", "WHALES", "wha", "sea", "café", "cafe\u{301}", "Cafe", "Zürich", "zurich", "straße", "a", "b2",
    "2", "東京", "NOT", "or", "é",
  ]
  private static let gaps = [" ", "  ", "-", ". ", "\n", "\"", "'s ", " * ", "_", "\0", "🐋"]

  private static func text(_ random: inout SplitMix, upTo count: Int) -> String {
    var text = random.once(in: 4) ? gaps[random.below(gaps.count)] : ""
    for _ in 0..<random.below(count + 1) {
      text += words[random.below(words.count)] + gaps[random.below(gaps.count)]
    }
    return text
  }

  /// A text that every engine stores: only a file takes a NUL.
  private static func storedText(_ random: inout SplitMix, upTo count: Int) -> String {
    let text = text(&random, upTo: count)
    return TestEngine.current == .file ? text : text.replacing("\0", with: " ")
  }

  /// The words of a text without case and diacritics, as the index has them.
  private static func tokens(_ text: String) -> [String] {
    text.unicodeScalars.split { scalar in
      switch scalar.properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
        .nonspacingMark:
        false
      default: true
      }
    }.map { token in
      var folded = String.UnicodeScalarView()
      for scalar in String(token).decomposedStringWithCanonicalMapping.lowercased().unicodeScalars
      where scalar.properties.generalCategory != .nonspacingMark { folded.append(scalar) }
      return String(folded)
    }
  }

  private static func contains(_ tokens: [String], _ phrase: [String], isPrefix: Bool = false) -> Bool {
    guard !phrase.isEmpty, tokens.count >= phrase.count else { return false }
    return (0...tokens.count - phrase.count).contains { start in
      phrase.indices.allSatisfy { index in
        let token = tokens[start + index]
        return isPrefix && index == phrase.count - 1 ? token.hasPrefix(phrase[index]) : token == phrase[index]
      }
    }
  }

  private static func finds(_ text: String, _ matching: TextSearch<Text>.Matching, in fields: [String]) -> Bool {
    let fields = fields.map(tokens)
    let parts = text.split { $0.isWhitespace || $0 == "\0" }.map { tokens(String($0)) }.filter { !$0.isEmpty }
    func has(_ phrase: [String], isPrefix: Bool = false) -> Bool {
      fields.contains { contains($0, phrase, isPrefix: isPrefix) }
    }
    guard !parts.isEmpty else { return false }
    switch matching {
    case .allWords: return parts.allSatisfy { has($0) }
    case .anyWord: return parts.contains { has($0) }
    case .phrase: return has(parts.flatMap(\.self))
    case .beginnings: return parts.allSatisfy { has($0, isPrefix: true) }
    }
  }

  @Test(
    "Saved and unsaved objects are found by the same rules", arguments: TestEngine.seeds(FullTests.areWanted ? 4 : 2))
  func twin(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let world = try SearchWorld()
    let context = world.context
    // A server answers the many queries of a round more slowly.
    for round in 0..<(TestEngine.current == .file || FullTests.areWanted ? 60 : 20) {
      let all = try context.fetch(FetchDescriptor<Text>())
      for _ in 0..<random.below(8) {
        let title = Self.storedText(&random, upTo: 3)
        let body = random.once(in: 4) ? nil : Self.storedText(&random, upTo: 8)
        switch all.isEmpty ? 0 : random.below(6) {
        case 0, 1: context.insert(random.once(in: 2) ? Text(title, body) : Letter(title, body, to: "whale"))
        case 2: all[random.below(all.count)].title = title
        case 3: all[random.below(all.count)].body = body
        case 4: all[random.below(all.count)].rating += 1
        default: context.delete(all[random.below(all.count)])
        }
      }
      switch random.below(6) {
      case 0, 1: try context.save()
      case 2: context.rollback()
      default: break
      }
      for form in TextSearchForms.all { try compare(Self.text(&random, upTo: 3), form, context, &random, round) }
    }
    context.rollback()
    try world.check()
  }

  private func compare(
    _ text: String, _ form: TextSearch<Text>.Matching, _ context: ModelContext, _ random: inout SplitMix, _ round: Int
  ) throws {
    let isTitle = random.once(in: 3)
    let least = random.below(2)
    var descriptor = FetchDescriptor<Text>(predicate: random.once(in: 2) ? nil : #Predicate { $0.rating >= least })
    if random.once(in: 2) { descriptor.sortBy = [SortDescriptor(\.title), SortDescriptor(\.rating)] }
    let wanted = try context.fetch(descriptor).filter { object in
      Self.finds(text, form, in: isTitle ? [object.title] : [object.title, object.body ?? ""])
    }
    descriptor.search = TextSearch(text, matching: form, in: isTitle ? [\.title] : [])
    let found = try context.fetch(descriptor)
    let words = "round \(round): \(text.debugDescription) \(form) \(isTitle ? "in titles" : "")"
    if descriptor.sortBy.isEmpty {
      #expect(found.count == wanted.count && Set(found.map(\.id)) == Set(wanted.map(\.id)), "\(words)")
    } else {
      #expect(found.map(\.id) == wanted.map(\.id), "\(words)")
    }
    #expect(try context.fetchCount(descriptor) == wanted.count, "\(words)")
    descriptor.fetchOffset = random.below(3)
    descriptor.fetchLimit = random.below(4)
    let part = found.dropFirst(descriptor.fetchOffset ?? 0).prefix(descriptor.fetchLimit ?? 0)
    #expect(try context.fetch(descriptor).map(\.id) == part.map(\.id), "\(words), a part")
    #expect(try context.fetchCount(descriptor) == part.count, "\(words), a part")
  }
}
