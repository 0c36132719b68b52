import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite("Validation without a save", .everyEngine)
struct ValidateTests {
  @Test("All problems of the unsaved changes are told, and nothing is written")
  func problems() throws {
    let world = try World()
    let room = Room(1)
    world.context.insert(room)
    world.context.insert(Box("a", in: room))
    try world.context.save()
    let context = world.fresh
    try context.validate()
    let known = try #require(try context.all(Room.self).first)
    context.delete(known)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.validate() }
    #expect(error?.validationProblems.map { "\($0.entityName).\($0.propertyName)" } == ["Room.boxes"])
    #expect(context.hasChanges)
    context.rollback()
    try context.delete(model: Room.self)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.validate() }
    context.rollback()
    try context.delete(model: Box.self)
    try context.validate()
    #expect(try world.fresh.fetchCount(FetchDescriptor<Box>()) == 1)
    try context.save()
    #expect(try world.fresh.fetchCount(FetchDescriptor<Box>()) == 0)
  }
}
