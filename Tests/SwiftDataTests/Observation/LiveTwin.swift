import Foundation
import Testing

@testable import SwiftData

/// Live results with the arrays that their differences make; compared with a fresh fetch.
final class LiveTwin<Model: PersistentModel, Title: Hashable> {
  let name: String
  let observer: ResultsObserver<Model, Title>
  let title: ((Model) -> Title)?
  let stream: ResultsStream<Model>
  var mirror: [Model]

  init(_ name: String, _ observer: ResultsObserver<Model, Title>, _ title: ((Model) -> Title)? = nil) {
    self.name = name
    self.observer = observer
    self.title = title
    stream = observer.makeStream()
    mirror = Array(observer.results)
  }

  func check(_ step: String) throws {
    let comment: Comment = "\(name), after \(step)"
    let results = Array(observer.results)
    #expect(observer.fetchError == nil, comment)
    var descriptor = observer.fetchDescriptor
    if let title {
      // The order of sections is the order of titles, or of first objects.
      descriptor.sortBy = observer.live.query.descriptor.sortBy
      var expected = observer.live.query.inOrder(try observer.modelContext.fetch(descriptor))
      if !observer.live.query.isSorted {
        var titles: [Title] = []
        for object in expected where !titles.contains(title(object)) { titles.append(title(object)) }
        expected = titles.flatMap { wanted in expected.filter { title($0) == wanted } }
      }
      expectSame(results, expected, "results", comment)
      let sections = try #require(observer.sections)
      expectSame(sections.flatMap { Array($0) }, results, "sections", comment)
      #expect(
        sections.allSatisfy { section in !section.isEmpty && section.allSatisfy { title($0) == section.title } })
      #expect(Set(sections.sectionTitles).count == sections.count, comment)
      if descriptor.includePendingChanges {
        let order = DescriptorOrder(observer.fetchDescriptor.sortBy)
        let isOrdered = sections.allSatisfy { section in
          zip(section, section.dropFirst()).allSatisfy { order($0, $1) != .orderedDescending }
        }
        #expect(isOrdered, "order within sections of \(comment)")
      }
      for object in results.prefix(3) {
        let path = try #require(observer.indexPath(for: object))
        #expect(observer.element(at: path) === object && sections[path[0]][path[1]] === object, comment)
      }
    } else {
      // A fetch may return objects that its order does not distinguish in any order.
      let expected = observer.live.query.inOrder(try observer.modelContext.fetch(descriptor))
      expectSame(results, expected, "results", comment)
    }
    while let difference = stream.next() { difference.apply(to: &mirror) }
    expectSame(mirror, results, "differences", comment)
  }

  /// Expects the same objects in the same order; names the first difference only.
  private func expectSame(_ objects: [Model], _ expected: [Model], _ what: String, _ comment: Comment) {
    let place =
      zip(objects, expected).enumerated().first { $1.0 !== $1.1 }?.offset ?? min(objects.count, expected.count)
    guard place < max(objects.count, expected.count) else { return }
    let pair = [objects, expected].map { $0.indices.contains(place) ? "\($0[place].persistentModelID)" : "nothing" }
    Issue.record("\(what) of \(comment): \(pair[0]) at \(place) instead of \(pair[1])")
  }
}
