import Foundation
import SwiftData

/// A small graph with one relationship of each shape, for tests with several contexts. No object changes its number.
enum ContextsTwinModels {
  @Model final class Owner {
    var number: Int
    @Relationship(inverse: \Member.owner) var members: [Member] = []

    init(_ number: Int) { self.number = number }
  }

  @Model final class Member {
    var number: Int
    var value = 0
    var owner: Owner?
    @Relationship(inverse: \Tag.members) var tags: [Tag] = []
    @Relationship(inverse: \Badge.member) var badge: Badge?

    init(_ number: Int) { self.number = number }
  }

  @Model final class Tag {
    var number: Int
    var members: [Member] = []

    init(_ number: Int) { self.number = number }
  }

  @Model final class Badge {
    var number: Int
    var member: Member?

    init(_ number: Int) { self.number = number }
  }

  static let types: [any PersistentModel.Type] = [Owner.self, Member.self, Tag.self, Badge.self]
}
