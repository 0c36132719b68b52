internal import Observation
internal import Synchronization

/// Tells whether reads are being tracked on this thread (`withObservationTracking`), without a registrar for every object.
///
/// A registrar that stands for nothing is told of an access. If reads are tracked, Observation puts the key path into a
/// set, and hashing it calls our argument's `hash(into:)`, which counts. A count from another thread is taken for one of ours,
/// which costs a registrar that was not needed and nothing else.
private final class ObservationProbe: Observable, Sendable {
  nonisolated(unsafe) let keyPath: KeyPath<ObservationProbe, Int> = \.[Tracer()]
  let registrar = ObservationRegistrar()

  struct Tracer: Hashable, Sendable {
    func hash(into hasher: inout Hasher) { hashes.wrappingAdd(1, ordering: .relaxed) }
  }

  subscript(_: Tracer) -> Int { 0 }
}

private let hashes = Atomic<Int>(0)

/// The address of the one probe, 0 until the first read of a property: an atomic number stands ready when the program starts,
/// where a global object costs each read of a property a call that asks whether it has been made.
private let probeAddress = Atomic<UInt>(0)

/// Whether the reads of this thread are being tracked; a few nanoseconds, no allocation while they are not.
public func _isTrackingReads() -> Bool {
  guard let address = UnsafeRawPointer(bitPattern: probeAddress.load(ordering: .acquiring)) else {
    makeProbe()
    return _isTrackingReads()
  }
  let before = hashes.load(ordering: .relaxed)
  Unmanaged<ObservationProbe>.fromOpaque(address)._withUnsafeGuaranteedRef {
    $0.registrar.access($0, keyPath: $0.keyPath)
  }
  return hashes.load(ordering: .relaxed) != before
}

/// Makes the probe, which lives as long as the program; of two threads at it the first one's stays.
@inline(never)
private func makeProbe() {
  let probe = Unmanaged.passRetained(ObservationProbe())
  let address = UInt(bitPattern: probe.toOpaque())
  if !probeAddress.compareExchange(expected: 0, desired: address, ordering: .acquiringAndReleasing).exchanged {
    probe.release()
  }
}
