import Foundation
import SwiftData

// Classes for real stores, written from the models in the stores.

enum FreezeRay1 {
  @Model final class User {
    var createdAt: Date?
    var name: String?
    init() {}
  }
}

enum FreezeRay2 {
  @Model final class User {
    var createdAt: Date?
    var email: String?
    var name: String?
    init() {}
  }
}

enum MyHome {
  @Model final class Expense {
    var id: UUID
    var amount: Decimal
    var currencyCode: String
    var date: Date
    var note: String?
    var createdAt: Date
    var updatedAt: Date

    init(amount: Decimal) {
      id = UUID()
      self.amount = amount
      currencyCode = "EUR"
      date = .now
      createdAt = .now
      updatedAt = .now
    }
  }
}

enum WelcomeTo {
  @Model final class Item {
    var timestamp: Date
    var number: Int

    init(timestamp: Date, number: Int) {
      self.timestamp = timestamp
      self.number = number
    }
  }
}

enum Resources {
  @Model final class Item {
    @Attribute(.unique) var name: String
    var craftingRecipe: CraftingRecipe?
    init(name: String) { self.name = name }
  }

  @Model final class CraftingRecipe {
    @Relationship(inverse: \Item.craftingRecipe) var producedItem: Item?
    var producedItemCount = "1"
    @Relationship(deleteRule: .cascade, inverse: \Component.craftingRecipe) var requiredComponents: [Component] = []
    init() {}
  }

  @Model final class Component {
    var id: UUID
    var count: Int
    var item: Item?
    var craftingRecipe: CraftingRecipe?

    init(count: Int) {
      id = UUID()
      self.count = count
    }
  }
}

/// Stores that Core Data wrote before SwiftData; one of them has no model of its own.
enum CoreData {
  @Model final class Post {
    var color: String?
    var content: String?
    var date: Date?
    var postID: String?
    init() {}
  }

  @Model final class JournalEntry {
    var date: Date?
    var height: String?
    var location: String?
    var period: String?
    var rating: Int16?
    var wind: String?
    init() {}
  }
}
