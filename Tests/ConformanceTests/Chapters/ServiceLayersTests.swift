import Foundation
import SwiftData
import Testing

/// Stores behind a protocol, a service that translates errors, and a double for tests.
@Suite("Layers over the context", ChapterPlace.condition)
struct ServiceLayersTests {
  @Model final class Plant {
    var name: String
    var isWatered: Bool
    var boughtAt: Date
    init(name: String, boughtAt: Date = .now) {
      self.name = name
      self.boughtAt = boughtAt
      self.isWatered = false
    }
  }

  protocol PlantRepository {
    func fetchAll() async throws -> [Plant]
    func fetchDry() async throws -> [Plant]
    func create(name: String) async throws -> Plant
    func update(_ plant: Plant) async throws
    func delete(_ plant: Plant) async throws
    func deleteWatered() async throws
  }

  final class StoredPlants: PlantRepository {
    private let context: ModelContext

    init(context: ModelContext) {
      self.context = context
    }

    func fetchAll() async throws -> [Plant] {
      let descriptor = FetchDescriptor<Plant>(sortBy: [SortDescriptor(\.boughtAt, order: .reverse)])
      return try context.fetch(descriptor)
    }

    func fetchDry() async throws -> [Plant] {
      let descriptor = FetchDescriptor<Plant>(
        predicate: #Predicate { !$0.isWatered }, sortBy: [SortDescriptor(\.boughtAt, order: .reverse)])
      return try context.fetch(descriptor)
    }

    func create(name: String) async throws -> Plant {
      let plant = Plant(name: name)
      context.insert(plant)
      try context.save()
      return plant
    }

    func update(_ plant: Plant) async throws {
      try context.save()
    }

    func delete(_ plant: Plant) async throws {
      context.delete(plant)
      try context.save()
    }

    func deleteWatered() async throws {
      try context.delete(model: Plant.self, where: #Predicate { $0.isWatered })
      try context.save()
    }
  }

  final class PlantsInMemory: PlantRepository {
    var plants: [Plant] = []
    func fetchAll() async throws -> [Plant] { plants }
    func fetchDry() async throws -> [Plant] { plants.filter { !$0.isWatered } }
    func create(name: String) async throws -> Plant {
      let plant = Plant(name: name)
      plants.append(plant)
      return plant
    }
    func update(_ plant: Plant) async throws {}
    func delete(_ plant: Plant) async throws { plants.removeAll { $0.id == plant.id } }
    func deleteWatered() async throws { plants.removeAll { $0.isWatered } }
  }

  private func exercise(_ repository: some PlantRepository) async throws {
    let fern = try await repository.create(name: "Fern")
    let palm = try await repository.create(name: "Palm")
    _ = try await repository.create(name: "Ivy")
    palm.isWatered = true
    try await repository.update(palm)
    #expect(try await Set(repository.fetchDry().map(\.name)) == ["Fern", "Ivy"])
    try await repository.delete(fern)
    try await repository.deleteWatered()
    #expect(try await repository.fetchAll().map(\.name) == ["Ivy"])
  }

  @Test func `a repository over a context and its double behave alike`() async throws {
    let store = try ChapterStore(.memory, Plant.self)
    try await exercise(StoredPlants(context: store.context))
    try await exercise(PlantsInMemory())
  }

  enum DataError: Error {
    case saveFailed(underlying: any Error)
    case fetchFailed(underlying: any Error)
    case containerCreationFailed(underlying: any Error)
  }

  @MainActor
  @Observable
  final class PlantService {
    private let container: ModelContainer
    var lastError: DataError?

    init(_ configuration: ModelConfiguration) throws {
      do {
        container = try ModelContainer(for: Plant.self, configurations: configuration)
      } catch {
        throw DataError.containerCreationFailed(underlying: error)
      }
    }

    var mainContext: ModelContext { container.mainContext }

    func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
      do {
        return try mainContext.fetch(descriptor)
      } catch {
        let dataError = DataError.fetchFailed(underlying: error)
        lastError = dataError
        throw dataError
      }
    }
  }

  @MainActor @Test func `a service serves any model`() throws {
    let service = try PlantService(ModelConfiguration(isStoredInMemoryOnly: true))
    service.mainContext.insert(Plant(name: "Fern"))
    #expect(try service.fetch(FetchDescriptor<Plant>()).map(\.name) == ["Fern"])
    #expect(service.lastError == nil)
  }

  @MainActor @Test func `a store that cannot be opened is an error, not a crash`() {
    #expect(throws: DataError.self) { try PlantService(ChapterPlace.nowhere) }
  }

  @Test func `a test has its own store in memory`() throws {
    let first = try ChapterStore(.memory, Plant.self)
    let second = try ChapterStore(.memory, Plant.self)
    first.context.insert(Plant(name: "Fern"))
    try first.context.save()
    #expect(try second.context.fetchCount(FetchDescriptor<Plant>()) == 0)
  }
}
