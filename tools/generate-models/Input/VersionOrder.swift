import ErrorReporting
import Foundation
import ModelGenerator
import ToolConsole

/// The order of a bundle's versions that `--order` states: names, the oldest first.
///
/// The reader's order is by names, which do not always tell the age of a version.
struct VersionOrder {
  private let items: [String]

  /// - Parameter items: lists separated by commas; a version's name that contains commas is an item of its own.
  init(_ items: [String] = []) { self.items = items }

  var isStated: Bool { !items.isEmpty }

  /// The positions of the versions in the stated order; `nil` if none is stated.
  ///
  /// - Throws: ``Failure`` if a name is none of a version, or if a version is not named exactly once.
  func indices(in bundle: ModelVersions, of place: ModelPlace) throws -> [Int]? {
    guard !items.isEmpty else { return nil }
    let names = VersionNames(bundle, place: place)
    let indices = try items.flatMap { item -> [Int] in
      if let index = names.index(named: item) { return [index] }
      return try item.split(separator: ",").map { part in
        let name = part.trimmingCharacters(in: .whitespaces)
        guard let index = names.index(named: name) else { throw names.failure(name, isName: true) }
        return index
      }
    }
    if let twice = Dictionary(grouping: indices, by: \.self).first(where: { $1.count > 1 })?.key {
      throw Failure(
        place, "--order names version \(quoted(bundle.versions[twice].name)) twice", remedy: "name each version once")
    }
    let missing = bundle.versions.indices.filter { !indices.contains($0) }
    guard missing.isEmpty else {
      throw Failure(
        place, "--order does not name \(abbreviatedList(missing.map { quoted(bundle.versions[$0].name) }))",
        remedy: "name every version, the oldest first")
    }
    return indices
  }
}

extension ModelInput {
  /// Puts the versions into another order, and numbers them anew in it from 1.
  mutating func arrange(_ indices: [Int]) {
    let current = indices.firstIndex(of: versions.currentIndex)
    versions.versions = indices.map {
      var version = versions.versions[$0]
      version.number = nil
      return version
    }
    versions.currentIndex = current ?? versions.currentIndex
  }
}
