internal import Observation
internal import Synchronization

/// Tells whether reads are being tracked on this thread (`withObservationTracking`), without a registrar for every object.
///
/// A registrar that stands for nothing is told of an access. If reads are tracked, Observation puts the key path into a
/// set, and hashing it calls our argument's `hash(into:)`, which counts. A count from another thread is taken for one of ours,
/// which costs a registrar that was not needed and nothing else.
private final class ObservationProbe: Observable, Sendable {
  static let shared = ObservationProbe()
  let hashes = Atomic<Int>(0)
  nonisolated(unsafe) let keyPath: KeyPath<ObservationProbe, Int> = \.[Tracer()]
  let registrar = ObservationRegistrar()

  struct Tracer: Hashable, Sendable {
    func hash(into hasher: inout Hasher) {
      ObservationProbe.shared.hashes.wrappingAdd(1, ordering: .relaxed)
    }
  }

  subscript(_: Tracer) -> Int { 0 }
}

/// Whether the reads of this thread are being tracked; a few nanoseconds, no allocation while they are not.
public func _isTrackingReads() -> Bool {
  let probe = ObservationProbe.shared
  let before = probe.hashes.load(ordering: .relaxed)
  probe.registrar.access(probe, keyPath: probe.keyPath)
  return probe.hashes.load(ordering: .relaxed) != before
}
