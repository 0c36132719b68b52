internal import StoreRequests

extension ContextCore {
  /// Empties the other side of the to-one relationships of a new object whose row has not taken its values.
  ///
  /// - Returns: the objects whose to-one relationship has to be read again.
  func forgetLinks(of object: any PersistentModel) -> [any PersistentModel] {
    guard let binding = binding(of: object) else { return [] }
    var stale: [any PersistentModel] = []
    for property in binding.relationships where binding.properties[property].hasColumns {
      guard let inverse = binding.properties[property].relationship?.inverse else { continue }
      for other in targets(of: object, at: property) where [.clean, .fault].contains(other._$state.status) {
        if self.binding(of: other)?.properties[inverse].relationship?.isToMany == true {
          var emptier = StorageEmptier()
          notifying(other, at: inverse) { $0._$visit(inverse, &emptier) }
        } else {
          stale.append(other)
        }
      }
    }
    return stale
  }
}
