/// The links that a context added to an object when it updated inverses; the program assigned their other side.
///
/// An object that leaves the context unsaved gives them back. Otherwise objects that lead to each other would keep each
/// other alive.
struct GivenLinks {
  /// To-one destinations; an object has few.
  private(set) var destinations: [(property: Int, object: any PersistentModel)] = []
  /// Members of to-many relationships, by property index.
  private(set) var members: [Int: ObjectList] = [:]

  mutating func give(_ object: any PersistentModel, at property: Int) {
    destinations.removeAll { $0.property == property }
    destinations.append((property, object))
  }

  mutating func add(_ member: any PersistentModel, at property: Int) {
    members[property, default: ObjectList()].append(member)
  }

  var isEmpty: Bool { destinations.isEmpty && members.isEmpty }

  mutating func removeAll() { if !isEmpty { self = GivenLinks() } }

  mutating func remove(_ member: any PersistentModel, at property: Int) { members[property]?.remove(member) }
}

extension ContextCore {
  /// Takes the links back that this context gave an object.
  func takeBackGivenLinks(of object: any PersistentModel) {
    guard let extras = object._$state.extras, !extras.given.isEmpty else { return }
    let given = extras.given
    extras.given.removeAll()
    for (property, destination) in given.destinations {
      guard linked(object, property).first === destination else { continue }
      let original = extras.originals[property]
      notifying(object, at: property) { object in
        if object._$state.key != 0, let original {
          var restorer = StorageRestorer(original: original)
          object._$visit(property, &restorer)
        } else {
          var setter = ToOneSetter(nil)
          object._$visit(property, &setter)
        }
      }
    }
    for (property, members) in given.members where !members.isEmpty {
      var filter = MemberFilter(excluded: Set(members.map { ObjectIdentifier($0) }))
      notifying(object, at: property) { $0._$visit(property, &filter) }
    }
  }
}
