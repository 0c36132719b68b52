import CoreDataModel
import Foundation
import ManagedModel
import TestSupport
import Testing

@testable import ModelDiagram

@Suite("Diagrams: where things are") struct DiagramLayoutTests {
  /// A model of many entities, linked by a fixed series of numbers.
  private static func model(entities count: Int, links: Int) -> ModelDescription {
    var state: UInt64 = 7
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    var entities = (0..<count).map { index in
      EntityDescription(
        name: "E\(index)", superentityName: index % 7 == 6 ? "E\(index / 7)" : nil,
        properties: (0..<next(12)).map { .attribute(AttributeDescription(name: "a\($0)", type: .string)) })
    }
    for link in 0..<links {
      let (from, to) = (next(count), next(count))
      let hasInverse = next(4) > 0
      entities[from].properties.append(
        .relationship(
          RelationshipDescription(
            name: "r\(link)", destinationEntityName: "E\(to)", inverseName: hasInverse ? "s\(link)" : nil,
            inverseEntityName: "E\(to)", maximumCount: next(2))))
      guard hasInverse else { continue }
      entities[to].properties.append(
        .relationship(
          RelationshipDescription(
            name: "s\(link)", destinationEntityName: "E\(from)", inverseName: "r\(link)", inverseEntityName: "E\(from)",
            maximumCount: next(2))))
    }
    return ModelDescription(entities: entities)
  }

  private func expectTidy(_ model: ModelDescription, sourceLocation: SourceLocation = #_sourceLocation) {
    let content = DiagramContent(model, title: "")
    let layout = DiagramLayout(content, widths: content.boxes.map { BoxLabels($0).width })
    let overlaps = layout.frames.indices.flatMap { first in
      layout.frames.indices.filter { $0 > first && layout.frames[first].overlaps(layout.frames[$0]) }
    }
    #expect(overlaps.isEmpty, "boxes overlap", sourceLocation: sourceLocation)
    #expect(
      layout.frames.allSatisfy {
        $0.x >= 0 && $0.y >= 0 && $0.x + $0.width <= layout.width && $0.y + $0.height <= layout.height
      }, "a box is outside of the picture", sourceLocation: sourceLocation)
    #expect(layout.routes.count == content.links.count, sourceLocation: sourceLocation)
    // Two lines can run along one another only at the same coordinate.
    var stretches: [Stretch.Axis: [Stretch]] = [:]
    for (link, route) in zip(content.links, layout.routes) {
      for (start, end) in zip(route, route.dropFirst()) {
        #expect(start.x == end.x || start.y == end.y, "a line is slanted", sourceLocation: sourceLocation)
        let stretch = Stretch(start, end, link)
        #expect(
          !layout.frames.contains { stretch.crosses($0) }, "a line crosses a box", sourceLocation: sourceLocation)
        for axis in stretch.axes {
          #expect(
            stretches[axis]?.contains { $0.hides(stretch) } != true, "two lines run along one another",
            sourceLocation: sourceLocation)
          stretches[axis, default: []].append(stretch)
        }
      }
    }
  }

  @Test("Lines cross no box and run along no other line", arguments: [(1, 3), (2, 6), (9, 20), (30, 50), (60, 140)])
  func tidy(entities: Int, links: Int) {
    expectTidy(Self.model(entities: entities, links: links))
  }

  @Test(
    "Pictures of real models are tidy", .enabled(if: Fixtures.areAvailable, "needs ../shared/fixtures"),
    arguments: [
      "wireapp__wire-ios-data-model/zmessaging", "woocommerce__woocommerce-ios/WooCommerce",
      "planetary-social__nos/Nos",
    ])
  func realModels(name: String) throws {
    let url = Fixtures.url("models/\(name).xcdatamodeld")
    let bundle = try ModelBundle.read(at: url) { _, current in current.map { [$0] } ?? [] }
    expectTidy(try #require(bundle.current).model)
  }

  @Test("A model of thousands of entities is drawn") func large() {
    let text = EntityDiagram(Self.model(entities: 1_000, links: 500), title: "Large").text(in: .svg)
    #expect(text.hasSuffix("</svg>\n"))
    #expect(text.contains("1000 entities"))
  }

  @Test("A model without entities is drawn") func empty() {
    for format in DiagramFormat.allCases {
      #expect(EntityDiagram(ModelDescription(), title: "Empty").text(in: format).contains("Empty"))
    }
  }
}

/// A horizontal or vertical part of a link's line.
private struct Stretch {
  let low: Point
  let high: Point
  let link: DiagramContent.Link

  init(_ start: Point, _ end: Point, _ link: DiagramContent.Link) {
    low = Point(x: min(start.x, end.x), y: min(start.y, end.y))
    high = Point(x: max(start.x, end.x), y: max(start.y, end.y))
    self.link = link
  }

  /// A vertical or horizontal line of the picture.
  enum Axis: Hashable {
    case x(Double)
    case y(Double)
  }

  /// The axes that the stretch lies on: two for a point.
  var axes: [Axis] { (low.x == high.x ? [.x(Double(low.x))] : []) + (low.y == high.y ? [.y(Double(low.y))] : []) }

  func crosses(_ frame: Frame) -> Bool {
    low.x < frame.x + frame.width && high.x > frame.x && low.y < frame.y + frame.height && high.y > frame.y
  }

  /// Whether another link's line lies on this one; lines that end at the same box may meet before it.
  func hides(_ other: Stretch) -> Bool {
    if link.kind == other.link.kind, link.to.row == nil, link.to == other.link.to { return false }
    if link.kind == .inheritance, other.link.kind == .inheritance,
      link.from == other.link.to || link.to == other.link.from || link.from == other.link.from
    {
      return false
    }
    if low.x == high.x, other.low.x == other.high.x, low.x == other.low.x {
      return min(high.y, other.high.y) > max(low.y, other.low.y)
    }
    if low.y == high.y, other.low.y == other.high.y, low.y == other.low.y {
      return min(high.x, other.high.x) > max(low.x, other.low.x)
    }
    return false
  }
}

extension Frame {
  fileprivate func overlaps(_ other: Frame) -> Bool {
    x < other.x + other.width && other.x < x + width && y < other.y + other.height && other.y < y + height
  }
}
