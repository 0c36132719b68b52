import Foundation
import Testing

@testable import SwiftData

@MainActor struct IsolatedPart: @MainActor Codable {
  var name: String
  nonisolated init(name: String) { self.name = name }
}

@Model final class IsolatedOwner {
  var parts: [IsolatedPart] = []
  init() {}
}

/// A conformance that a global actor isolates exists on that actor's threads only. The compiler rejects such a type for a
/// property; it overlooks one inside a collection.
@Suite struct IsolatedValueTests {
  @Test @MainActor func `A save on another thread than a value's actor throws, and does not lose the value`()
    async throws
  {
    let container = try ModelContainer(
      for: IsolatedOwner.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let message = await Task.detached {
      let context = ModelContext(container)
      let owner = IsolatedOwner()
      owner.parts = [IsolatedPart(name: "a")]
      context.insert(owner)
      do { try context.save() } catch { return "\(error)" }
      return "saved"
    }.value
    #expect(message.contains("IsolatedOwner.parts") && message.contains("declare it nonisolated"), "\(message)")
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<IsolatedOwner>()) == 0)
  }
}
