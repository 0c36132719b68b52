import Foundation
import SwiftData
import Testing

@Model class StoredDevice {
  var name: String
  init(name: String) { self.name = name }
}

@Model class StoredPhone: StoredDevice {
  var number = ""
}

@Model final class StoredFoldablePhone: StoredPhone {
  var hinges = 1
}

@Suite("Custom stores with classes of several levels", .temporaryFolder)
struct CustomStoreHierarchyTests {
  @Test(arguments: CustomStoreKind.allCases)
  func `A fetch of a class has the objects of all levels below it`(kind: CustomStoreKind) throws {
    let container = try kind.container([StoredDevice.self, StoredPhone.self, StoredFoldablePhone.self])
    let context = ModelContext(container)
    context.insert(StoredDevice(name: "radio"))
    context.insert(StoredPhone(name: "phone"))
    context.insert(StoredFoldablePhone(name: "foldable"))
    try context.save()
    let fresh = ModelContext(container)
    func names<Model: StoredDevice>(_ type: Model.Type) throws -> [String] {
      try fresh.fetch(FetchDescriptor<Model>()).map(\.name).sorted()
    }
    #expect(try names(StoredDevice.self) == ["foldable", "phone", "radio"])
    #expect(try names(StoredPhone.self) == ["foldable", "phone"])
    #expect(try names(StoredFoldablePhone.self) == ["foldable"])
    #expect(try fresh.fetchCount(FetchDescriptor<StoredDevice>(predicate: #Predicate { $0.name != "radio" })) == 2)
  }
}
