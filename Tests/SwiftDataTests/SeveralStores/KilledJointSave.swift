import Foundation
import StoreTestSupport
import SwiftData
import TestSupport
import Testing

@testable import StoreInspection

/// Two stores with classes of their own and a class that both have, and a save that changes both in every way.
enum KilledJointSave {
  @Model final class Customer {
    @Attribute(.unique) var name: String
    var note: String?
    @Attribute(.externalStorage) var image: Data?
    @Relationship(deleteRule: .cascade, inverse: \Order.customer) var orders: [Order] = []
    init(_ name: String, note: String? = nil) { (self.name, self.note) = (name, note) }
  }

  @Model final class Order {
    var number: Int
    var customer: Customer?
    @Relationship(inverse: \Tag.orders) var tags: [Tag] = []
    init(_ number: Int) { self.number = number }
  }

  @Model final class Tag {
    var name: String
    var orders: [Order] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Payment {
    var number: Int
    var amount: Decimal
    var date = Date(timeIntervalSinceReferenceDate: 0)
    init(_ number: Int, _ amount: Decimal) { (self.number, self.amount) = (number, amount) }
  }

  /// In both stores.
  @Model final class Entry {
    var text: String
    var count = 0
    init(_ text: String) { self.text = text }
  }

  /// How much of the save two stores have, each looked at alone.
  enum State { case none, half, all }

  static let stores = ["orders", "payments"]
  static let before = [
    "customer gone - 0", "customer kept - 0", "customer taken - 0", "entry orders", "entry payments", "order 1 kept x",
    "order 3 gone ", "payment 1 1", "payment 2 2",
  ]
  static let after = [
    "customer kept changed 200001", "customer new - 0", "customer taken again 0", "entry added", "entry orders!",
    "entry payments!", "order 1 kept y", "order 2 new x,y", "payment 1 1.25", "payment 3 0.1",
  ]

  static func url(_ place: TemporaryStore, _ name: String) -> URL {
    place.folder.appendingPathComponent(name).appendingPathComponent("\(name).store")
  }

  private static func schema(_ name: String) -> Schema {
    name == "orders"
      ? Schema([Customer.self, Order.self, Tag.self, Entry.self]) : Schema([Payment.self, Entry.self])
  }

  /// A container of both stores, which completes saves when it opens.
  static func container(_ place: TemporaryStore) throws -> ModelContainer {
    try ModelContainer(
      for: Schema([Customer.self, Order.self, Tag.self, Payment.self, Entry.self]),
      configurations: stores.map { ModelConfiguration($0, schema: schema($0), url: url(place, $0)) })
  }

  /// A container of one store, which knows nothing of the other.
  static func container(_ place: TemporaryStore, only name: String) throws -> ModelContainer {
    try ModelContainer(for: schema(name), configurations: [ModelConfiguration(name, url: url(place, name))])
  }

  static func template() throws -> TemporaryStore {
    let place = try TemporaryStore()
    for name in stores {
      try FileManager.default.createDirectory(
        at: url(place, name).deletingLastPathComponent(), withIntermediateDirectories: true)
      let context = ModelContext(try container(place, only: name))
      context.insert(Entry(name))
      if name == "orders" {
        for name in ["kept", "gone", "taken"] { context.insert(Customer(name)) }
        for customer in context.insertedModelsArray.compactMap({ $0 as? Customer }) where customer.name != "taken" {
          let order = Order(customer.name == "kept" ? 1 : 3)
          context.insert(order)
          order.customer = customer
          if customer.name == "kept" { order.tags = [Tag("x")] }
        }
      } else {
        context.insert(Payment(1, 1))
        context.insert(Payment(2, 2))
      }
      try context.save()
    }
    return place
  }

  /// The save that is killed: insertions, changes, deletions, links, a big value, and a row that an insertion takes over.
  static func change(_ context: ModelContext, batches: Bool = false) throws {
    context.author = "killed"
    if batches {
      try context.update(model: Customer.self, where: #Predicate { $0.name == "kept" }) { $0.set(\.note, to: "batch") }
      try context.update(model: Payment.self, where: #Predicate { $0.number > 0 }) { $0.set(\.number, to: 100) }
      return
    }
    for entry in try context.fetch(FetchDescriptor<Entry>()) { entry.text += "!" }
    context.insert(Entry("added"))
    let tag = Tag("y")
    let customers = try context.fetch(FetchDescriptor<Customer>())
    for customer in customers where customer.name == "kept" {
      customer.note = "changed"
      customer.image = Data(repeating: 3, count: 200_001)
      let order = Order(2)
      context.insert(order)
      order.customer = Customer("new")
      order.tags = customer.orders.flatMap(\.tags) + [tag]
      for old in customer.orders { old.tags = [tag] }
    }
    for customer in customers where customer.name == "gone" { context.delete(customer) }
    context.insert(Customer("taken", note: "again"))
    for payment in try context.fetch(FetchDescriptor<Payment>()) {
      if payment.number == 1 { payment.amount = 1.25 } else { context.delete(payment) }
    }
    context.insert(Payment(3, Decimal(string: "0.1") ?? 0))
  }

  /// Another save of both stores.
  static func change(other text: String, _ context: ModelContext) throws {
    context.insert(Entry(text))
    context.insert(Payment(90, 9))
  }

  static func contents(_ context: ModelContext) throws -> [String] {
    var lines = try context.fetch(FetchDescriptor<Entry>()).map { "entry \($0.text)" }
    if context.container.schema.entities.contains(where: { $0.name == "Payment" }) {
      lines += try context.fetch(FetchDescriptor<Payment>()).map { "payment \($0.number) \($0.amount)" }
    }
    if context.container.schema.entities.contains(where: { $0.name == "Customer" }) {
      lines += try context.fetch(FetchDescriptor<Customer>()).map {
        "customer \($0.name) \($0.note ?? "-") \($0.image?.count ?? 0)"
      }
      lines += try context.fetch(FetchDescriptor<Order>()).map { order in
        "order \(order.number) \(order.customer?.name ?? "-") \(order.tags.map(\.name).sorted().joined(separator: ","))"
      }
    }
    return lines.sorted()
  }

  /// What both stores have, without the completion of a save.
  static func contents(of place: TemporaryStore) throws -> [String] {
    try stores.flatMap { try contents(ModelContext(container(place, only: $0))) }
  }

  static func state(_ place: TemporaryStore) throws -> State {
    let saved = try stores.filter { try isSaved(place, $0) }
    return saved.isEmpty ? .none : saved.count == stores.count ? .all : .half
  }

  private static func isSaved(_ place: TemporaryStore, _ name: String) throws -> Bool {
    let context = ModelContext(try container(place, only: name))
    return try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).contains { $0.author == "killed" }
  }

  static func lacking(_ place: TemporaryStore) throws -> String {
    try #require(stores.first { try !isSaved(place, $0) })
  }

  static func records(_ place: TemporaryStore) throws -> Int {
    try stores.reduce(0) { sum, name in
      let tables = try PlainSQL.rows(url(place, name), "SELECT 1 FROM sqlite_master WHERE name = 'OSD_JOINT_SAVES'")
      guard !tables.isEmpty else { return sum }
      return try sum + PlainSQL.rows(url(place, name), "SELECT 1 FROM OSD_JOINT_SAVES WHERE STORE = ''").count
    }
  }

  /// Expects two stores without a finding.
  static func expectSound(_ place: TemporaryStore, _ comment: Comment) throws {
    for name in stores {
      #expect(try StoreChecker.check(url(place, name)) == [], comment)
      try Oracle.expectSound(url(place, name), comment)
    }
  }

  // MARK: Kills

  static func copy(_ template: TemporaryStore) throws -> TemporaryStore {
    let place = try TemporaryStore()
    try FileManager.default.removeItem(at: place.folder)
    try FileManager.default.copyItem(at: template.folder, to: place.folder)
    return place
  }

  /// The number of calls of the save that change a file.
  static func callCount(_ template: TemporaryStore, batches: Bool = false) throws -> Int {
    let place = try copy(template)
    let changes = FaultyFileChanges(place.folder)
    defer { changes.end() }
    let container = try container(place)
    let context = ModelContext(container)
    try change(context, batches: batches)
    changes.arm(.failure, at: 0)
    try context.save()
    defer { changes.disarm() }
    return changes.calls.count
  }

  /// The stores that a process leaves which is killed at a call of its save.
  ///
  /// - Parameter isOpen: whether this process opens the container before.
  static func killed(
    _ template: TemporaryStore, at number: Int, batches: Bool = false, isOpen: Bool = false
  ) async throws -> (folder: TemporaryStore, opened: ModelContainer?) {
    let place = try copy(template)
    let opened = isOpen ? try container(place) : nil
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = place.folder.path as String, number = number as Int, batches = batches as Bool] in
      try KilledJointSave.saveAndDie(path, at: number, batches: batches)
    }
    return (place, opened)
  }

  private static func saveAndDie(_ path: String, at number: Int, batches: Bool) throws {
    let folder = URL(fileURLWithPath: path)
    let configurations = stores.map {
      ModelConfiguration($0, schema: schema($0), url: folder.appendingPathComponent("\($0)/\($0).store"))
    }
    let container = try ModelContainer(
      for: Schema([Customer.self, Order.self, Tag.self, Payment.self, Entry.self]), configurations: configurations)
    let context = ModelContext(container)
    try change(context, batches: batches)
    let changes = FaultyFileChanges(folder)
    changes.arm(.death, at: number)
    try context.save()
    kill(getpid(), SIGKILL)
  }

  /// The stores that a process leaves which is killed between the commits of two stores, and the number of that call.
  static func halfSaved(
    _ template: TemporaryStore, batches: Bool = false, isOpen: Bool = false
  ) async throws -> (folder: TemporaryStore, opened: ModelContainer?, call: Int) {
    // The more calls, the more is saved.
    var calls = try 1...(callCount(template, batches: batches) + 1)
    while true {
      let number = (calls.lowerBound + calls.upperBound) / 2
      let result = try await killed(template, at: number, batches: batches, isOpen: isOpen)
      let state = try state(result.folder)
      if state == .half { return (result.folder, result.opened, number) }
      try #require(calls.count > 1, "no call is between the commits")
      calls = state == .none ? min(number + 1, calls.upperBound)...calls.upperBound : calls.lowerBound...number
    }
  }
}
