internal import ManagedModel

extension ModelDifference {
  /// The properties whose values an inferred migration removes.
  var removals: [ModelChange] {
    changes.filter { if case .propertyRemoved = $0.kind { $0.migration != .none } else { false } }
  }
}
