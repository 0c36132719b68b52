import Foundation
import ManagedModel
import PostgreSQL
import PostgreSQLTestSupport
import StoreRequests
import TestSupport

@testable import CoreDataStore
@testable import PostgreSQLStore

/// A store in a file and one in a database with the same random rows.
final class TwinStores {
  private(set) var model: ModelDescription
  /// What a migration does with rows that have equal values of a new uniqueness constraint.
  let duplicates: ChangeSet.DuplicatePolicy
  private let folder: TemporaryStore
  private let server: TestServer
  private var options = ServerOptions()
  /// The number of each inserted object, by its identity in the file and in the database.
  private var numbersInFile: [Place: Int] = [:]
  private var numbersInDatabase: [Place: Int] = [:]

  /// A key with the root of its hierarchy in the old model.
  private struct Place: Hashable {
    let root: String
    let key: Int64
  }

  init(seed: UInt64, _ server: TestServer) throws {
    var numbers = SplitMix(seed: seed)
    let random = FetchRandomModel(&numbers)
    self.server = server
    duplicates = [.fail, .keep, .overwrite][Int(seed % 3)]
    options.duplicates = duplicates
    folder = try TemporaryStore()
    options.schema = folder.databaseSchema
    options.connectionLimit = 2
    var inFile = numbers
    let rows = RandomRows(of: random, &inFile).withoutNUL()
    model = Self.requiring(random, rows)
    let file = try PersistentStore.open(at: folder.url, model: model)
    defer { file.close() }
    let saved = try file.save(rows.changes { try file.entities.existingEntity($0).number }).inserted.map(\.object)
    let others = RandomRows(of: random, &numbers).withoutNUL()
    let database = try ServerStore.open(server.address, options: options, model: model)
    let stored = try database.save(others.changes { try database.entities.existingEntity($0).number }).inserted
      .map(\.object)
    for index in saved.indices {
      let root = random.root(of: rows.made[index].entity)
      numbersInFile[Place(root: root, key: saved[index].key)] = index
      numbersInDatabase[Place(root: root, key: stored[index].key)] = index
    }
  }

  /// The model with required to-one relationships: those that all objects have.
  private static func requiring(_ random: FetchRandomModel, _ rows: RandomRows) -> ModelDescription {
    var model = random.model
    for index in model.entities.indices {
      let objects = rows.made.filter { random.isKind($0.entity, of: model.entities[index].name) }
      for position in model.entities[index].properties.indices {
        guard case .relationship(var relationship) = model.entities[index].properties[position],
          !relationship.isToMany, !objects.isEmpty, objects.allSatisfy({ $0.toOne[relationship.name] != nil })
        else { continue }
        relationship.isOptional = false
        model.entities[index].properties[position] = .relationship(relationship)
      }
    }
    return model
  }

  /// Gives the database the columns of required relationships that earlier versions of this package made: without a requirement, and
  /// cleared by their foreign keys.
  func makeOlder() throws {
    let connection = try server.connect()
    let layout = try LayoutBuilder.layout(model, schema: options.schema, rule: options.naming)
    for table in layout.tables {
      for column in table.columns where !column.requiredBy.isEmpty {
        guard let reference = column.reference, reference.action == .refuse else { continue }
        let requirement =
          table.requirement(of: column) == .everyRow
          ? "ALTER \(column.name) DROP NOT NULL" : "DROP CONSTRAINT \(table.checkName(of: column.name))"
        try connection.execute(
          "ALTER TABLE \(table.sql) \(requirement), DROP CONSTRAINT \(reference.constraint), "
            + "ADD CONSTRAINT \(reference.constraint) FOREIGN KEY (\(column.name)) "
            + "REFERENCES \(layout.tables[reference.hierarchy].sql) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED")
      }
    }
  }

  func close() {
    _ = try? server.connect().execute("DROP SCHEMA \(Identifier(options.schema)) CASCADE")
  }

  // MARK: Migrations

  /// The reason why the file was not migrated; `nil` if it was.
  func migrateFile(to model: ModelDescription) throws -> MigrationObstacle.Reason? {
    do { try PersistentStore.migrate(at: folder.url, through: [model], duplicates: duplicates) } catch let error
      as MigrationError
    {
      return error.obstacle.reason
    }
    return nil
  }

  func migrateDatabase(to model: ModelDescription) throws -> MigrationObstacle.Reason? {
    do {
      try ServerMigrator(server.address, options: options).migrate(to: model)
    } catch let error as MigrationError {
      return error.obstacle.reason
    }
    return nil
  }

  /// Makes the model of a migration the stores' own, without the former names in it, so that another migration may follow.
  func settle(_ next: ModelDescription) {
    let matching = ModelMatching(from: model, to: next)
    let (former, graph) = (EntityGraph(model), EntityGraph(next))
    var roots: [String: Set<String>] = [:]
    for entity in next.entities {
      guard let source = matching.source(of: entity.name), let root = former.root(of: source)?.name else { continue }
      roots[root, default: []].insert(graph.root(of: entity.name)?.name ?? "")
    }
    func moved(_ numbers: [Place: Int]) -> [Place: Int] {
      var result: [Place: Int] = [:]
      for (place, number) in numbers {
        for root in roots[place.root] ?? [] { result[Place(root: root, key: place.key)] = number }
      }
      return result
    }
    (numbersInFile, numbersInDatabase) = (moved(numbersInFile), moved(numbersInDatabase))
    model = next
    for index in model.entities.indices {
      model.entities[index].renamingIdentifier = nil
      for position in model.entities[index].properties.indices {
        switch model.entities[index].properties[position] {
        case .attribute(var attribute):
          attribute.renamingIdentifier = nil
          model.entities[index].properties[position] = .attribute(attribute)
        case .relationship(var relationship):
          relationship.renamingIdentifier = nil
          model.entities[index].properties[position] = .relationship(relationship)
        case .fetchedProperty: break
        }
      }
    }
  }

  // MARK: Comparison

  /// The definitions that migrations have left for the time after their commit, and that could not be made.
  func pendingDefinitions() throws -> [String] {
    try server.connect().column("SELECT unnest(pending) FROM \(Identifier(options.schema))._store")
  }

  /// What the stores, opened with a model, do not have in common.
  func differences(_ model: ModelDescription) throws -> [String] {
    let file = try PersistentStore.open(at: folder.url, model: model)
    defer { file.close() }
    let database = try ServerStore.open(server.address, options: options, model: model)
    let (one, other) = (try texts(file, numbersInFile), try texts(database, numbersInDatabase))
    return one.subtracting(other).sorted().map { "file: \($0)" }
      + other.subtracting(one).sorted().map { "database: \($0)" }
  }

  private func texts(_ engine: some StoreEngine, _ numbers: [Place: Int]) throws -> Set<String> {
    let matching = ModelMatching(
      from: model, to: ModelDescription(entities: engine.entities.entities.map(\.description)))
    let graph = EntityGraph(model)
    func number(_ entity: StoreEntity, _ key: Int64) -> String {
      let root = matching.source(of: entity.name).flatMap { graph.root(of: $0)?.name } ?? ""
      return numbers[Place(root: root, key: key)].map { "#\($0)" } ?? "\(root) \(key)"
    }
    var texts: Set<String> = []
    for entity in engine.entities.entities where !entity.description.isAbstract {
      var request = FetchRequest(entityName: entity.name)
      request.includesSubentities = false
      let stored = entity.properties.filter { $0.width > 0 }
      request.columns = stored.map { ColumnSelection(entityName: entity.name, propertyName: $0.name) }
      let rows = try engine.fetch(request)
      var keys: [ObjectKey] = []
      while try rows.next() {
        keys.append(ObjectKey(entity: entity.number, key: rows.key))
        let name = number(entity, rows.key)
        var column = 0
        for property in stored {
          switch property {
          case .attribute(let attribute):
            for leaf in attribute.leaves {
              texts.insert("\(entity.name) \(name) \(leaf.path): \(Self.text(rows.value(column), leaf.attribute.type))")
              column += 1
            }
          case .toOne(let relationship):
            let destination = try engine.entities.existingEntity(relationship.destinationName)
            if case .integer(let key) = rows.value(column) {
              texts.insert("\(entity.name) \(name) \(property.name) → \(number(destination, key))")
            }
            column += 2
          case .toMany: break
          }
        }
      }
      for case .toMany(let relationship) in entity.properties where !keys.isEmpty {
        let destination = try engine.entities.existingEntity(relationship.destinationName)
        let members = try engine.related(
          to: (entity.name, relationship.description.name), owners: keys, columns: [])
        var lists: [Int64: [String]] = [:]
        while try members.next() { lists[members.owner, default: []].append(number(destination, members.key)) }
        for (owner, list) in lists {
          let sorted = relationship.description.isOrdered ? list : list.sorted()
          texts.insert("\(entity.name) \(number(entity, owner)) \(relationship.description.name) ⇉ \(sorted)")
        }
      }
    }
    return texts
  }

  private static func text(_ value: StoreValue, _ type: AttributeType) -> String {
    switch (value, type) {
    case (.integer(let number), .decimal), (.integer(let number), .double), (.integer(let number), .float),
      (.integer(let number), .date):
      "\(Double(number))"
    case (.real(let number), _): "\(number)"
    default: "\(value)"
    }
  }
}
