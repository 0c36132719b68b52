import Foundation
import ManagedModel
import TestSupport
import Testing

@testable import CoreDataStore

/// Random stores, whose models are changed at random: a migration keeps every value and pair that the new model has, or is refused
/// and changes nothing.
@Suite("Random migrations") struct MigrationRandomTests {
  private static func setting(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }
  private static let firstSeed = UInt64(setting("MIGRATION_SEED") ?? 20_261_123)
  private static let count = setting("MIGRATION_COUNT") ?? (FullTests.areWanted ? 10_000 : 40)

  @Test("Rows and relationships are the same before and after, or the migration is refused")
  func randomPairs() throws {
    var migrated = 0
    for number in 0..<Self.count {
      let seed = Self.firstSeed &+ UInt64(number)
      var numbers = SplitMix(seed: seed)
      let world = try FetchRandomWorld(&numbers)
      let url = try #require(world.store.url)
      // Random stores have keys that lead nowhere, which the checker reports.
      let known = try failures(url)
      let model = changed(world.store.layout.model, &numbers)
      let reference = try MigrationReference(world.store)
      world.store.close()
      do {
        try PersistentStore.migrate(at: url, through: [model])
        migrated += 1
      } catch is MigrationError {
        // Rows are in the way.
      }
      let store = try PersistentStore.open(at: url)
      let problems = try reference.problems(in: store)
      #expect(problems.isEmpty, "seed \(seed): \(problems.prefix(5))")
      store.close()
      let new = try failures(url).subtracting(known)
      #expect(new.isEmpty, "seed \(seed): \(new)")
    }
    #expect(migrated * 2 > Self.count)
  }

  @Test("Entities that the new model does not mention keep their rows")
  func keepsOtherEntities() throws {
    for number in 0..<(Self.count / 2) {
      let seed = Self.firstSeed &+ UInt64(number)
      var numbers = SplitMix(seed: seed)
      let world = try FetchRandomWorld(&numbers)
      let url = try #require(world.store.url)
      let known = try failures(url)
      let original = world.store.layout.model
      let left = original.entities.filter { candidate in
        !original.entities.contains { $0.superentityName == candidate.name }
      }
      let omitted = left[numbers.below(left.count)].name
      var model = original
      model.entities.removeAll { $0.name == omitted }
      for index in model.entities.indices {
        model.entities[index].properties.removeAll {
          if case .relationship(let relationship) = $0 { relationship.destinationEntityName == omitted } else { false }
        }
        model.entities[index].properties.append(attribute("added", default: "d"))
      }
      let reference = try MigrationReference(world.store)
      world.store.close()
      try PersistentStore.migrate(at: url, through: [model], keepsOtherEntities: true)
      let store = try PersistentStore.open(at: url, model: model)
      #expect(store.layout.entity(named: omitted) != nil)
      let problems = try reference.problems(in: store)
      #expect(problems.isEmpty, "seed \(seed): \(problems.prefix(5))")
      store.close()
      let new = try failures(url).subtracting(known)
      #expect(new.isEmpty, "seed \(seed): \(new)")
    }
  }

  /// The facts of the format that the store breaks.
  private func failures(_ url: URL) throws -> Set<String> {
    let report = try Oracle.checkStore(url)
    return Set(
      report.output.split(separator: "\n").filter { $0.contains("  FAIL  ") }.map { line in
        line.split(separator: " ").prefix(6).joined(separator: " ")
      })
  }

  /// One to five changes of a model: renamed, added and removed entities and properties, other types, orders and defaults.
  private func changed(_ original: ModelDescription, _ numbers: inout SplitMix) -> ModelDescription {
    var model = original
    for step in 0...numbers.below(5) {
      let index = numbers.below(model.entities.count)
      switch numbers.below(9) {
      case 0: model.entities.append(EntityDescription(name: "Added\(step)", properties: [attribute("title\(step)")]))
      case 1: rename(model.entities[index].name, to: "A\(step)\(model.entities[index].name)", in: &model)
      case 2: model.entities[index].properties.append(attribute("added\(step)", default: "d"))
      case 3: model.entities[index].properties.append(attribute("empty\(step)"))
      default: change(&model.entities[index], step, &numbers)
      }
    }
    return model
  }

  private func attribute(_ name: String, default value: String? = nil) -> PropertyDescription {
    .attribute(
      AttributeDescription(
        name: name, type: .string, isOptional: value == nil, defaultValue: value.map { .string($0) }))
  }

  private func rename(_ name: String, to new: String, in model: inout ModelDescription) {
    for index in model.entities.indices {
      if model.entities[index].name == name {
        model.entities[index].renamingIdentifier = model.entities[index].renamingIdentifier ?? name
        model.entities[index].name = new
      }
      if model.entities[index].superentityName == name { model.entities[index].superentityName = new }
      for position in model.entities[index].properties.indices {
        guard case .relationship(var relationship) = model.entities[index].properties[position] else { continue }
        if relationship.destinationEntityName == name { relationship.destinationEntityName = new }
        if relationship.inverseEntityName == name { relationship.inverseEntityName = new }
        model.entities[index].properties[position] = .relationship(relationship)
      }
    }
  }

  /// Changes one property of an entity.
  private func change(_ entity: inout EntityDescription, _ step: Int, _ numbers: inout SplitMix) {
    guard !entity.properties.isEmpty else { return }
    let position = numbers.below(entity.properties.count)
    let isMentioned = { [entity] (name: String) in
      entity.uniquenessConstraints.joined().contains(name)
        || entity.fetchIndexes.contains { "\($0)".contains(name) } || entity.compoundIndexes.joined().contains(name)
    }
    switch entity.properties[position] {
    case .attribute(var attribute):
      guard attribute.derivation == nil, !isMentioned(attribute.name) else { return }
      switch numbers.below(4) {
      case 0:
        attribute.renamingIdentifier = attribute.renamingIdentifier ?? attribute.name
        attribute.name += "New"
      case 1: attribute.isOptional.toggle()
      case 2:
        let types: [AttributeType] = [.integer16, .integer32, .integer64, .double, .decimal, .string, .boolean]
        if attribute.type != .composite {
          (attribute.type, attribute.defaultValue) = (types[numbers.below(types.count)], nil)
        }
      default:
        entity.properties.remove(at: position)
        return
      }
      entity.properties[position] = .attribute(attribute)
    case .relationship(var relationship):
      if relationship.isToMany { relationship.isOrdered.toggle() }
      entity.properties[position] = .relationship(relationship)
    case .fetchedProperty: break
    }
  }
}
