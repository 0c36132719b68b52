import ErrorReporting
import Foundation
import ManagedModel
import ModelGenerator
import ToolConsole

/// A selection of a bundle's versions, in the form of `--versions`.
///
/// An item is one version, or a range `A...B`, `A...` or `...B`. A version is given by its name in the bundle, by its
/// number with or without a `V` (the number at the end of generated names), or as `current`, `oldest` or `newest`.
struct VersionSelection {
  /// The selection if the command line names no versions.
  enum Default {
    case all, current
  }

  private let items: [String]
  private let fallback: Default

  /// - Parameter items: lists separated by commas; a version's name that contains commas is an item of its own.
  init(_ items: [String] = [], default fallback: Default = .all) {
    self.items = items
    self.fallback = fallback
  }

  /// Whether all versions are selected without a look at their names.
  var isEverything: Bool { items.isEmpty && fallback == .all }

  /// Positions in the list of versions, ascending.
  /// - Throws: ``Failure`` if there is no such version.
  func indices(in bundle: ModelVersions, of place: ModelPlace) throws -> [Int] {
    guard !items.isEmpty else {
      return fallback == .all ? Array(bundle.versions.indices) : [bundle.currentIndex]
    }
    let names = VersionNames(bundle, place: place)
    var chosen: Set<Int> = []
    for item in items {
      if let index = names.index(named: item) {
        chosen.insert(index)
        continue
      }
      for part in item.components(separatedBy: ",") {
        chosen.formUnion(try indices(part.trimmingCharacters(in: .whitespaces), names))
      }
    }
    return chosen.sorted()
  }

  private func indices(_ item: String, _ names: VersionNames) throws -> ClosedRange<Int> {
    if let index = names.index(item) { return index...index }
    guard let dots = item.range(of: "...") else { throw names.failure(item) }
    let (first, last) = (String(item[..<dots.lowerBound]), String(item[dots.upperBound...]))
    let start = first.isEmpty ? 0 : try names.require(first)
    let end = last.isEmpty ? names.count - 1 : try names.require(last)
    guard start <= end else {
      throw names.failure(item, "the range of versions \(quoted(item)) ends before it begins", "swap its ends")
    }
    return start...end
  }
}

/// The names of a bundle's versions on the command line.
struct VersionNames {
  private let bundle: ModelVersions
  private let place: ModelPlace

  init(_ bundle: ModelVersions, place: ModelPlace) {
    self.bundle = bundle
    self.place = place
  }

  var count: Int { bundle.versions.count }

  /// The version with exactly this name.
  func index(named name: String) -> Int? { bundle.versions.firstIndex { $0.name == name } }

  /// The version with this name, number or role.
  func index(_ text: String) -> Int? {
    if let index = index(named: text) { return index }
    switch text.lowercased() {
    case "current": return bundle.currentIndex
    case "oldest": return 0
    case "newest": return count - 1
    default: break
    }
    let digits = text.first == "V" || text.first == "v" ? text.dropFirst() : text[...]
    guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(digits) else { return nil }
    return bundle.versions.indices.first { bundle.number($0) == number }
  }

  /// - Throws: ``Failure`` with the nearest name if there is no such version.
  func require(_ text: String) throws -> Int {
    guard let index = index(text) else { throw failure(text) }
    return index
  }

  /// - Parameter isName: whether only names count, as where the versions get their numbers.
  func failure(_ text: String, isName: Bool = false) -> Failure {
    let nearest = nearestName(to: text, in: bundle.versions.map(\.name))
    let listed = bundle.versions.indices.prefix(12).map {
      quoted(bundle.versions[$0].name) + (isName ? "" : " (V\(bundle.number($0)))")
    }
    let rest = count > listed.count ? " and \(count - listed.count) more" : ""
    return failure(
      text, "the model has no version \(quoted(text))\(suggestion(nearest))",
      "name one of \(listed.joined(separator: ", "))\(rest)\(isName ? "" : ", or current, oldest or newest")")
  }

  func failure(_ text: String, _ problem: String, _ remedy: String) -> Failure {
    Failure(place, problem, remedy: remedy)
  }
}
