import Foundation
import Observation
import TestSupport
import Testing

@testable import SwiftData

@Suite("Members that other saves move, add or delete", .everyEngine)
struct OthersMembersTests {
  typealias Part = UpkeepModels.Part
  typealias Crate = UpkeepModels.Crate
  typealias Rack = UpkeepModels.Rack
  typealias Hold = UpkeepModels.Hold
  typealias Wagon = UpkeepModels.Wagon
  typealias Product = UpkeepModels.Product
  typealias List = UpkeepModels.List

  let world: UpkeepWorld
  var context: ModelContext { world.context }

  init() throws { world = try UpkeepWorld() }

  // MARK: Moves

  @Test("The former owner gives up a member that another context moved, and its cascade spares the member")
  func movedByOther() throws {
    let (first, second, part) = (Crate("first"), Crate("second"), Part("1"))
    for object in [first, second] { context.insert(object) }
    context.insert(part)
    try context.save()
    let theirs = try #require(try world.other.all(Part.self).first)
    let theirCrate = try #require(try world.other.first(Crate.self, where: #Predicate { $0.label == "second" }))
    // The other context does not know the first owner.
    first.parts = [part]
    try context.save()
    theirs.crate = theirCrate
    try world.other.save()
    nonisolated(unsafe) var changes = 0
    withObservationTracking {
      _ = first.parts
    } onChange: {
      changes += 1
    }
    _ = try context.all(Part.self)
    #expect(first.parts.isEmpty && second.parts == [part] && changes == 1)
    #expect(!context.hasChanges)
    context.delete(first)
    try context.save()
    #expect(try world.fresh.all(Part.self).map { $0.crate?.label } == ["second"])
  }

  @Test("A member that another context moved stays in the list that the program assigned since, until the save decides")
  func assignedAfterMove() throws {
    let (first, second, part) = (Crate("first"), Crate("second"), Part("1"))
    for object in [first, second] { context.insert(object) }
    part.crate = first
    context.insert(part)
    try context.save()
    let reader = ModelContext(world.container)
    reader.conflictPolicy = .mergeByProperty
    let mine = try #require(try reader.all(Part.self).first)
    part.crate = second
    try context.save()
    let owner = try #require(reader.model(for: first.persistentModelID) as? Crate)
    owner.parts = [mine]
    for _ in 0..<2 {
      _ = try reader.all(Crate.self)
      _ = try reader.all(Part.self)
      #expect(owner.parts == [mine] && mine.crate === owner)
      mine.crate = owner
    }
    try reader.save()
    #expect(try world.fresh.all(Part.self).map { $0.crate?.label } == ["first"])
  }

  @Test(
    "The owner of a row gives it up when an upsert moves it to nobody or to another owner", arguments: [true, false])
  func movedByUpsert(toNobody: Bool) throws {
    let (first, second, part) = (Crate("first"), Crate("second"), Part("1", "old"))
    context.insert(first)
    context.insert(second)
    part.crate = first
    try context.save()
    #expect(first.parts == [part] && second.parts.isEmpty)
    let new = Part("1", "new")
    if !toNobody { new.crate = second }
    context.insert(new)
    try context.save()
    #expect(part.name == "new" && first.parts.isEmpty)
    #expect(second.parts == (toNobody ? [] : [part]))
    context.delete(first)
    try context.save()
    #expect(try world.fresh.all(Part.self).map { $0.crate?.label } == [toNobody ? nil : "second"])
  }

  @Test("Of several new objects for one row, the last one decides about the owner, in every list")
  func ownersOfSeveralUpserts() throws {
    let (first, second, part) = (Crate("first"), Crate("second"), Part("1"))
    for crate in [first, second] { context.insert(crate) }
    context.insert(part)
    try context.save()
    #expect(first.parts.isEmpty && second.parts.isEmpty && part.crate == nil)
    for crate in [first, second, nil] {
      let new = Part("1")
      new.crate = crate
      context.insert(new)
    }
    try context.save()
    #expect(part.crate == nil && first.parts.isEmpty && second.parts.isEmpty)
    for crate in [second, first] {
      let new = Part("1")
      new.crate = crate
      context.insert(new)
    }
    try context.save()
    #expect(part.crate === first && first.parts == [part] && second.parts.isEmpty)
  }

  @Test("An object that another context deletes leaves loaded relationships, with an inverse and without")
  func deletedByOther() throws {
    let (crate, part, list) = (Crate("c"), Part("1"), List("l"))
    let products = [Product("a"), Product("b")]
    crate.parts = [part]
    list.products = products
    context.insert(crate)
    context.insert(list)
    try context.save()
    #expect(crate.parts == [part] && list.products.count == 2)
    world.other.delete(try #require(try world.other.all(Part.self).first))
    world.other.delete(try #require(try world.other.first(Product.self, where: #Predicate { $0.name == "a" })))
    try world.other.save()
    _ = try context.all(List.self)
    #expect(crate.parts.isEmpty && list.products.map(\.name) == ["b"] && !context.hasChanges)
  }

  @Test(
    "An owner with unsaved changes shows the members that others added, beside its own",
    arguments: [true, false], [true, false])
  func addedByOther(changesMembers: Bool, removesOne: Bool) throws {
    let (crate, old, gone) = (Crate("c"), Part("old"), Part("gone"))
    crate.parts = removesOne ? [old, gone] : [old]
    context.insert(crate)
    try context.save()
    #expect(crate.parts.contains(old))
    let own = Part("own")
    if changesMembers { crate.parts.insert(own, at: 0) } else { crate.label = "changed" }
    let theirs = try #require(try world.other.all(Crate.self).first)
    theirs.parts.append(Part("theirs"))
    theirs.parts.removeAll { $0.code == "gone" }
    try world.other.save()
    nonisolated(unsafe) var changes = 0
    withObservationTracking {
      _ = crate.parts
    } onChange: {
      changes += 1
    }
    let parts = try context.all(Part.self)
    #expect(changes == 1)
    #expect(Set(crate.parts) == Set(parts.filter { $0.crate === crate }))
    #expect(crate.parts.map(\.code) == (changesMembers ? ["own", "old", "theirs"] : ["old", "theirs"]))
    context.rollback()
    #expect(crate.parts.map(\.code) == ["old", "theirs"] && !context.hasChanges)
  }

  @Test("A changed list is not read at a merge, only when it is needed")
  func changedListWaits() throws {
    guard TestEngine.current == .file else { return }
    let crate = Crate("c")
    crate.parts = [Part("1")]
    context.insert(crate)
    try context.save()
    crate.parts.append(Part("own"))
    let theirs = try #require(try world.other.all(Crate.self).first)
    theirs.parts.append(Part("theirs"))
    try world.other.save()
    let statements = try ContainerStatements(world.container)
    let merge = try statements.queries { _ = try context.all(List.self) }
    #expect(!merge.contains { $0.contains("ZPART") }, "\(merge)")
    #expect(crate.parts.map(\.code) == ["1", "own", "theirs"])
  }

  @Test(
    "An owner with unsaved changes gives up a member without an inverse that another owner takes",
    arguments: [true, false])
  func takenByOther(changesMembers: Bool) throws {
    let (list, second) = (List("1"), List("2"))
    list.products = [Product("a"), Product("b")]
    for list in [list, second] { context.insert(list) }
    try context.save()
    #expect(list.products.count == 2)
    if changesMembers { list.products.insert(Product("c"), at: 0) } else { list.title = "changed" }
    let theirs = try #require(try world.other.first(List.self, where: #Predicate { $0.title == "2" }))
    theirs.products = try world.other.all(Product.self).filter { $0.name == "a" }
    try world.other.save()
    _ = try context.all(List.self)
    #expect(list.products.map(\.name) == (changesMembers ? ["c", "b"] : ["b"]) && second.products.map(\.name) == ["a"])
    try context.save()
    #expect(list.products.map(\.name).sorted() == (changesMembers ? ["b", "c"] : ["b"]))
  }

  @Test("A list without an inverse gives up an unsaved member that another context deleted", arguments: [true, false])
  func unsavedMemberDeletedByOther(isNew: Bool) throws {
    let (list, product) = (List("1"), Product("a"))
    context.insert(product)
    if !isNew { context.insert(list) }
    try context.save()
    list.products = [product]
    context.insert(list)
    try world.other.delete(model: Product.self)
    for list in try world.other.all(List.self) { list.title = "theirs" }
    try world.other.save()
    _ = try context.all(List.self)
    #expect(list.products.isEmpty)
    try context.save()
    #expect(list.products.isEmpty && !context.hasChanges)
    #expect(try world.fresh.all(List.self).map(\.products.count) == [0])
  }

  @Test("A merge does not hide a member of another context, which the save refuses")
  func strangerStays() throws {
    let crate = Crate("c")
    context.insert(crate)
    try context.save()
    let stranger = Part("stranger")
    world.other.insert(stranger)
    crate.parts.append(stranger)
    try #require(try world.other.all(Crate.self).first).label = "theirs"
    try world.other.save()
    _ = try context.all(Crate.self)
    #expect(crate.parts == [stranger])
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
  }

  @Test("A deleted member leaves a loaded relationship without an inverse at the save")
  func withoutInverse() throws {
    let (list, gone) = (List("l"), Product("gone"))
    list.products = [gone, Product("kept")]
    context.insert(list)
    try context.save()
    context.delete(gone)
    try context.save()
    #expect(list.products.map(\.name) == ["kept"] && !context.hasChanges)
    list.products.append(Product("new"))
    try context.save()
    #expect(Set(try #require(try world.fresh.all(List.self).first).products.map(\.name)) == ["kept", "new"])
  }

  // MARK: Delete rules

  /// Adds a member to the owners of each rule from the other context.
  private func addMember() throws {
    let part = Part("late")
    world.other.insert(part)
    part.crate = try world.other.all(Crate.self).first
    try world.other.save()
    let racked = Part("racked")
    world.other.insert(racked)
    racked.rack = try world.other.all(Rack.self).first
    try world.other.save()
  }

  @Test("Delete rules see the members that others saved before and after they were decided", arguments: [0, 1, 2])
  func laterMembers(moment: Int) throws {
    let (crate, rack) = (Crate("c"), Rack("r"))
    context.insert(crate)
    context.insert(rack)
    try context.save()
    #expect(crate.parts.isEmpty && rack.parts.isEmpty)
    if moment == 0 { try addMember() }
    context.delete(crate)
    context.delete(rack)
    if moment == 1 { try addMember() }
    context.processPendingChanges()
    if moment == 2 { try addMember() }
    try context.save()
    let left = try world.fresh.all(Part.self)
    #expect(left.map(\.code) == ["racked"])
    #expect(try world.fresh.fetchCount(FetchDescriptor<Part>(predicate: #Predicate { $0.rack != nil })) == 0)
  }

  @Test("The rule deny sees members that others saved", arguments: [false, true])
  func denied(isDecided: Bool) throws {
    let hold = Hold("h")
    context.insert(hold)
    try context.save()
    #expect(hold.parts.isEmpty)
    if isDecided {
      context.delete(hold)
      context.processPendingChanges()
    }
    let part = Part("late")
    world.other.insert(part)
    part.hold = try world.other.all(Hold.self).first
    try world.other.save()
    context.delete(hold)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.validationProblems.map(\.rule) == [.deletion])
    context.rollback()
    #expect(hold.parts.map(\.code) == ["late"])
  }

  @Test("A deleted member whose owner the context had changed is no member of the owner that another context gave it")
  func deletedAndMoved() throws {
    let (first, second, part) = (Crate("1"), Crate("2"), Part("p"))
    for crate in [first, second] { context.insert(crate) }
    context.insert(part)
    try context.save()
    part.crate = first
    context.delete(part)
    let theirs = try #require(try world.other.all(Part.self).first)
    theirs.crate = try world.other.first(Crate.self, where: #Predicate { $0.label == "2" })
    try world.other.save()
    #expect(try context.all(Part.self).isEmpty && first.parts.isEmpty && second.parts.isEmpty)
    context.rollback()
    #expect(try context.all(Part.self) == [part])
    #expect(part.crate === second && second.parts == [part])
  }

  @Test(
    "A cascade spares a member that an unsaved change has moved to another owner or to none", arguments: [true, false])
  func movedInMemory(toNone: Bool) throws {
    let (first, second, third, part) = (Crate("1"), Crate("2"), Crate("3"), Part("p"))
    for crate in [first, second, third] { context.insert(crate) }
    first.parts = [part]
    try context.save()
    let theirs = try #require(try world.other.all(Part.self).first)
    let theirSecond = try #require(try world.other.first(Crate.self, where: #Predicate { $0.label == "2" }))
    part.crate = toNone ? nil : third
    theirs.crate = theirSecond
    try world.other.save()
    _ = try context.all(Part.self)
    #expect(first.parts.isEmpty && second.parts.isEmpty && third.parts == (toNone ? [] : [part]))
    context.delete(second)
    try context.save()
    #expect(try world.fresh.all(Part.self).map { $0.crate?.label } == [toNone ? nil : "3"])
  }

  // MARK: Values of deleted objects

  @Test("Objects that one save deletes still lead to each other, and do not keep each other alive")
  func deletedChain() throws {
    weak var first: Wagon?
    try {
      let wagons = (0..<4).map { Wagon($0) }
      for index in 0..<3 { wagons[index].next = wagons[index + 1] }
      context.insert(wagons[0])
      try context.save()
      context.delete(wagons[0])
      try context.save()
      #expect(wagons.map { $0.next?.number } == [1, 2, 3, nil])
      #expect(wagons.map { $0.previous?.number } == [nil, 0, 1, 2])
      first = wagons[0]
      #expect(wagons[3].previous?.isDeleted == true)
      withExtendedLifetime(wagons) {}
    }()
    #expect(first == nil)
  }

  @Test("Deleted objects lead to each other over a relationship to a base class, too")
  func deletedSubclass() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try TestEngine.current.container(Schema(UndoModels.types), store))
    let (leaf, node) = (UndoModels.Leaf(1), UndoModels.Node(2))
    node.parent = leaf
    context.insert(node)
    try context.save()
    context.delete(leaf)
    try context.save()
    #expect(node.isDeleted && node.parent === leaf)
  }
}
