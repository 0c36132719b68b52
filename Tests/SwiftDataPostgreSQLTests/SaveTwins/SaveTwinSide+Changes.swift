import Foundation
import TestSupport

@testable import SwiftData

extension SaveTwinSide {
  /// Makes one change in a context, and tells it.
  func change(_ place: Int, _ random: inout SplitMix) throws -> String {
    let context = contexts[place]
    guard !random.once(in: 6), let node = any(Models.Node.self, place, &random) else {
      return try insertOrChangeMany(place, &random)
    }
    let name = "node \(node.number)"
    switch random.below(24) {
    case 0, 1:
      changeValues(of: node, &random)
      return "\(name) gets values"
    case 2:
      node.code = random.once(in: 4) ? nil : random.below(6)
      return "\(name) gets code \(node.code ?? -1)"
    case 3:
      guard let other = any(Models.Node.self, place, &random) else { break }
      (node.code, other.code) = (other.code, node.code)
      return "\(name) and \(other.number) exchange codes"
    case 4, 5:
      let parent = any(Models.Node.self, place, &random)
      node.parent = parent === node ? nil : parent
      return "\(name) gets parent \(node.parent?.number ?? 0)"
    case 6:
      let children = all(Models.Node.self, place, &random).filter { $0 !== node && random.once(in: 4) }
      node.children = children
      return "\(name) gets children \(children.map(\.number))"
    case 7, 8:
      node.badge = random.once(in: 3) ? Models.Badge(next()) : any(Models.Badge.self, place, &random)
      return "\(name) gets badge \(node.badge?.number ?? 0)"
    case 9:
      guard let badge = any(Models.Badge.self, place, &random) else { break }
      badge.node = random.once(in: 4) ? nil : node
      return "badge \(badge.number) gets node \(badge.node?.number ?? 0)"
    case 10, 11:
      node.words = all(Models.Word.self, place, &random).filter { _ in random.once(in: 3) }
      return "\(name) gets words \(node.words.map(\.number))"
    case 12:
      guard let word = any(Models.Word.self, place, &random) else { break }
      var nodes = word.nodes
      if random.once(in: 2) { nodes.append(node) } else { nodes.shuffle(using: &random) }
      word.nodes = nodes.enumerated().filter { index, one in !nodes[..<index].contains { $0 === one } }.map(\.element)
      return "word \(word.number) gets nodes \(word.nodes.map(\.number))"
    case 13:
      // A thing has one owner at most, so it is taken from its owner first.
      let things = all(Models.Thing.self, place, &random).filter { _ in random.once(in: 3) }
      for owner in all(Models.Node.self, place, &random) where owner.things.contains(where: things.contains) {
        owner.things.removeAll(where: things.contains)
      }
      node.things = things + [Models.Thing(next())]
      return "\(name) gets things \(node.things.map(\.number))"
    case 14:
      node.steps.append(Models.Step(next(), random.below(9)))
      return "\(name) gets step \(lastStep(node))"
    case 15:
      node.steps.shuffle(using: &random)
      return "\(name) gets steps \(node.steps.map(\.number))"
    case 16:
      guard let step = any(Models.Step.self, place, &random) else { break }
      if random.once(in: 2) { step.weight = random.below(9) } else { step.node = node }
      return "step \(step.number) weighs \(step.weight), of \(step.node?.number ?? 0)"
    case 17, 18:
      node.friends = all(Models.Node.self, place, &random).filter { _ in random.once(in: 4) }
      return "\(name) gets friends \(node.friends.map(\.number))"
    case 19:
      guard let seal = any(Models.Seal.self, place, &random) else { break }
      seal.node = node
      return "seal \(seal.number) gets \(name)"
    case 20:
      guard let leaf = node as? Models.Leaf else { break }
      leaf.favourite = any(Models.Word.self, place, &random)
      leaf.serial = random.once(in: 2) ? nil : random.below(4)
      return "leaf \(leaf.number) gets favourite \(leaf.favourite?.number ?? 0), serial \(leaf.serial ?? -1)"
    default:
      context.delete(node)
      return "delete \(name)"
    }
    return "nothing"
  }

  private func lastStep(_ node: Models.Node) -> Int { node.steps.last?.number ?? 0 }

  private func changeValues(of node: Models.Node, _ random: inout SplitMix) {
    node.note = random.once(in: 3) ? nil : ["", "é", "a 'quoted' \\ text", "🌲"][random.below(4)]
    if random.once(in: 2) { node.amount = Decimal(random.below(2000) - 1000) / 8 }
    if random.once(in: 2) { node.ratio = random.once(in: 3) ? nil : Double(random.below(100)) / 7 }
    if random.once(in: 2) {
      node.since = random.once(in: 3) ? nil : Date(timeIntervalSinceReferenceDate: Double(random.below(1000)) / 4)
    }
    if random.once(in: 2) { node.kind = Models.Kind.allCases[random.below(3)] }
    if random.once(in: 2) {
      node.spot =
        random.once(in: 3) ? nil : Models.Spot(line: "l\(random.below(3))", place: random.once(in: 2) ? nil : 1)
    }
    if random.once(in: 2) { node.tags = (0..<random.below(3)).map { "t\($0)" } }
    if random.once(in: 3) {
      node.picture = random.once(in: 2) ? nil : Data(repeating: 1, count: random.below(3) * 120_000)
    }
    node.size = random.below(5)
  }

  private func insertOrChangeMany(_ place: Int, _ random: inout SplitMix) throws -> String {
    let context = contexts[place]
    switch random.below(14) {
    case 0...3:
      let number = next()
      let node = random.once(in: 3) ? Models.Leaf(number) : Models.Node(number)
      if random.once(in: 2) { context.insert(node) }
      node.code = random.once(in: 3) ? nil : random.below(6)
      (node as? Models.Leaf)?.serial = random.once(in: 2) ? nil : random.below(4)
      changeValues(of: node, &random)
      if random.once(in: 2) {
        // A file counts a row twice that is inserted as its own child.
        let parent = any(Models.Node.self, place, &random)
        node.parent = parent === node ? nil : parent
      }
      if random.once(in: 2) { node.steps = [Models.Step(next(), 1), Models.Step(next(), 2)] }
      if random.once(in: 3) { node.badge = Models.Badge(next()) }
      if random.once(in: 3) { node.things = [Models.Thing(next())] }
      if random.once(in: 3) { node.words = all(Models.Word.self, place, &random).filter { _ in random.once(in: 2) } }
      if random.once(in: 4) { node.friends = [any(Models.Node.self, place, &random) ?? node] }
      context.insert(node)
      return "insert \(type(of: node)) \(number) code \(node.code ?? -1)"
    case 4, 5:
      let word = Models.Word(next(), "w\(random.below(5))")
      context.insert(word)
      word.nodes = all(Models.Node.self, place, &random).filter { _ in random.once(in: 4) }
      return "insert word \(word.number) \(word.text), nodes \(word.nodes.map(\.number))"
    case 6:
      guard let node = any(Models.Node.self, place, &random) else { break }
      let seal = Models.Seal(next(), node)
      context.insert(seal)
      return "insert seal \(seal.number) of \(node.number)"
    case 7, 8:
      let seat = Models.Seat(next(), row: random.below(3))
      seat.hall =
        random.once(in: 4) ? Models.Word(next(), "w\(random.below(5))") : any(Models.Word.self, place, &random)
      seat.isTaken = random.once(in: 2)
      context.insert(seat)
      return "insert seat \(seat.number) row \(seat.row) hall \(seat.hall?.number ?? 0) \(seat.hall?.text ?? "")"
    case 9:
      let limit = random.below(5)
      switch random.below(3) {
      case 0:
        try context.update(model: Models.Node.self, where: #Predicate { $0.size < limit }) {
          $0.set(\.note, to: "many")
          $0.set(\.size, to: #Expression { $0.size + 3 })
        }
      case 1: try context.update(model: Models.Leaf.self) { $0.set(\.colour, to: "red \(limit)") }
      default:
        try context.update(model: Models.Node.self, where: #Predicate { $0.steps.count > 1 }) {
          $0.set(\.size, to: #Expression { $0.steps.count })
        }
      }
      return "update many, \(limit)"
    case 10:
      let limit = random.below(4)
      if random.once(in: 2) {
        try context.delete(model: Models.Step.self, where: #Predicate { $0.weight < limit })
        return "delete steps below \(limit)"
      }
      try context.delete(model: Models.Node.self, where: #Predicate { $0.size == limit && $0.seals.isEmpty })
      return "delete nodes of size \(limit)"
    case 11:
      guard let word = any(Models.Word.self, place, &random) else { break }
      // No delete rule clears a relationship without inverse.
      for leaf in all(Models.Leaf.self, place, &random) where leaf.favourite === word { leaf.favourite = nil }
      context.delete(word)
      return "delete word \(word.number)"
    case 12:
      guard let seal = any(Models.Seal.self, place, &random) else { break }
      context.delete(seal)
      return "delete seal \(seal.number)"
    default:
      let badge = any(Models.Badge.self, place, &random)
      if let badge { context.delete(badge) }
      let step = any(Models.Step.self, place, &random)
      if let step { context.delete(step) }
      return "delete badge \(badge?.number ?? 0), step \(step?.number ?? 0)"
    }
    return "nothing"
  }
}
