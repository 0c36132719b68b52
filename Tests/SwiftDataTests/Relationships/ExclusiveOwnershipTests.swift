import Foundation
import Testing

@testable import SwiftData

/// A to-many relationship without an inverse is a foreign key in its members' rows (CD-3.3), so a member has one owner.
@Suite struct ExclusiveOwnershipTests {
  private func boxes(_ world: World) throws -> [Box] {
    let room = Room(1)
    let boxes = [Box("a", in: room), Box("b", in: room)]
    boxes[0].content = [Thing(weight: 1), Thing(weight: 2)]
    world.context.insert(room)
    boxes.forEach { world.context.insert($0) }
    try world.context.save()
    return boxes
  }

  @Test func `CD-3.3 A member that another owner takes leaves the previous owner's list of members at the save`() throws
  {
    let world = try World()
    let boxes = try boxes(world)
    let other = world.fresh
    let seen = try other.fetch(FetchDescriptor<Box>(sortBy: [SortDescriptor(\.label)]))
    #expect(seen.map(\.content.count) == [2, 0])

    let moved = try #require(boxes[0].content.first { $0.weight == 1 })
    boxes[1].content.append(moved)
    try world.context.save()
    #expect(boxes[0].content.map(\.weight) == [2] && boxes[1].content.map(\.weight) == [1])
    _ = try other.fetchCount(FetchDescriptor<Box>())
    #expect(seen[0].content.map(\.weight) == [2] && seen[1].content.map(\.weight) == [1])
    let read = try world.fresh.fetch(FetchDescriptor<Box>(sortBy: [SortDescriptor(\.label)]))
    #expect(read.map { $0.content.map(\.weight) } == [[2], [1]])
    try world.check()
  }

  @Test func `CD-3.3 A partly loaded owner loses a member that another owner takes`() throws {
    let world = try World()
    let boxes = try boxes(world)
    let other = world.fresh
    var descriptor = FetchDescriptor<Box>(sortBy: [SortDescriptor(\.label)])
    descriptor.propertiesToFetch = [\.label]
    descriptor.relationshipKeyPathsForPrefetching = [\.content]
    let seen = try other.fetch(descriptor)
    boxes[1].content = boxes[0].content.filter { $0.weight == 1 }
    try world.context.save()
    _ = try other.fetchCount(FetchDescriptor<Box>())
    #expect(seen.map { $0.content.map(\.weight) } == [[2], [1]])
  }

  @Test func `CD-3.3 A new member assigned to two owners belongs to one of the two, the same for all contexts`() throws
  {
    let world = try World()
    let boxes = try boxes(world)
    let thing = Thing(weight: 3)
    boxes[0].content.append(thing)
    boxes[1].content.append(thing)
    try world.context.save()
    let owners = boxes.filter { $0.content.contains { $0 === thing } }
    #expect(owners.count == 1)
    let read = try world.fresh.fetch(FetchDescriptor<Box>(sortBy: [SortDescriptor(\.label)]))
    #expect(read.map { $0.content.map(\.weight).sorted() } == boxes.map { $0.content.map(\.weight).sorted() })
    try world.check()
  }

  @Test func `CD-3.3 A member that one save takes from one owner and gives to another belongs to the new owner`() throws
  {
    let world = try World()
    let boxes = try boxes(world)
    let things = boxes[0].content
    boxes[0].content = []
    boxes[1].content = things
    try world.context.save()
    #expect(boxes[0].content.isEmpty && boxes[1].content.count == 2)
    boxes[0].content = [things[0]]
    boxes[1].content = [things[1]]
    try world.context.save()
    let read = try world.fresh.fetch(FetchDescriptor<Box>(sortBy: [SortDescriptor(\.label)]))
    #expect(read.map { $0.content.map(\.weight) } == [[things[0].weight], [things[1].weight]])
    try world.check()
  }
}
