/// The objects whose relationships were led to an object while none of them was in a context.
///
/// An insertion of the object inserts them as well, as if they had been related to it afterwards. They are not kept alive.
struct Referrers {
  private struct Referrer {
    weak var object: (any PersistentModel)?
    let property: Int
  }

  private var referrers: [Referrer] = []
  /// The number of referrers at which those that no longer exist are dropped.
  private var limit = 16

  /// Notes that a property of an object leads here.
  mutating func add(_ object: any PersistentModel, at property: Int) {
    if let last = referrers.last, last.property == property, last.object === object { return }
    if referrers.count >= limit {
      referrers.removeAll { $0.object == nil }
      limit = max(16, 2 * referrers.count)
    }
    referrers.append(Referrer(object: object, property: property))
  }

  /// Takes the referrers out, in the order in which they were related.
  mutating func take() -> [(object: any PersistentModel, property: Int)] {
    let taken = referrers.compactMap { referrer in referrer.object.map { (object: $0, property: referrer.property) } }
    self = Referrers()
    return taken
  }
}
