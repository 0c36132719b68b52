internal import StoreRequests

/// The source of a row that is a live object.
protocol ModelRowSource: RowSource {
  var model: any PersistentModel { get }
}
