public import Metrics
public import SwiftData

extension ModelContainer {
  /// Counts the work of all contexts of the container in counters of swift-metrics.
  ///
  /// The counters are those of `ContextActivity`, each with the prefix and `_total`:
  ///
  /// - `swiftdata_saves_total`: saves that changed a store.
  /// - `swiftdata_saved_objects_total`: objects that saves inserted, changed or deleted.
  /// - `swiftdata_fetches_total`: fetches of objects, counts and identifiers.
  /// - `swiftdata_fetched_objects_total`: objects that fetches returned.
  /// - `swiftdata_faults_total`: objects whose values were read on first use.
  ///
  /// A server with several containers tells them apart by dimensions:
  ///
  ///     MetricsSystem.bootstrap(PrometheusMetricsFactory())
  ///     let container = try ModelContainer(for: Book.self)
  ///     container.reportMetrics(dimensions: [("store", "library")])
  ///
  /// Without this call nothing is counted. An `activityHandler` that was set before is called as well; a handler
  /// that is set later takes the counters' place. Call it once for each container and factory: a second call with the same factory counts
  /// everything twice. Cost: one increment of a counter for each save, fetch and load of faults. Not in Apple's framework.
  /// - Parameters:
  ///   - labelPrefix: what the labels begin with, before an underscore.
  ///   - dimensions: names and values that each counter has.
  ///   - factory: the backend; `nil` for the backend of `MetricsSystem`, which the program bootstraps before this call.
  public func reportMetrics(
    labelPrefix: String = "swiftdata", dimensions: [(String, String)] = [], factory: (any MetricsFactory)? = nil
  ) {
    let factory = factory ?? MetricsSystem.factory
    let counters = Dictionary(
      uniqueKeysWithValues: ContextActivity.allCases.map {
        ($0, Counter(label: "\(labelPrefix)_\($0.rawValue)_total", dimensions: dimensions, factory: factory))
      })
    let earlier = activityHandler
    activityHandler = { activity, amount in
      earlier?(activity, amount)
      counters[activity]?.increment(by: amount)
    }
  }
}
