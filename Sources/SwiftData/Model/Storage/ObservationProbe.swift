internal import Observation
internal import Synchronization

/// Tells whether `withObservationTracking` tracks reads on this thread, without a registrar per object.
///
/// The probe reports an access to a registrar that no object uses. If reads are tracked, Observation inserts the key
/// path into a set. The insertion hashes the key path and so calls `Tracer.hash(into:)`, which increments a counter. A
/// concurrent increment by another thread counts as a tracked read; its only cost is a registrar that was not needed.
private final class ObservationProbe: Observable, Sendable {
  nonisolated(unsafe) let keyPath: KeyPath<ObservationProbe, Int> = \.[Tracer()]
  let registrar = ObservationRegistrar()

  struct Tracer: Hashable, Sendable {
    func hash(into hasher: inout Hasher) { hashes.wrappingAdd(1, ordering: .relaxed) }
  }

  subscript(_: Tracer) -> Int { 0 }
}

private let hashes = Atomic<Int>(0)

/// The address of ``probe``; 0 until the first read of a property, and while reads of deleted objects are reported.
///
/// An atomic integer is initialized when the program starts. A global object would cost each read of a property a call
/// that checks whether it is initialized.
private let probeAddress = Atomic<UInt>(0)

/// The only probe, which lives as long as the program.
private let probe = ObservationProbe()

/// Whether reads on this thread are tracked; costs a few nanoseconds and no allocation while they are not.
///
/// Always `true` while reads of deleted objects are reported, so that ``_trackRead(of:_:)`` sees all reads.
public func _isTrackingReads() -> Bool {
  guard let address = UnsafeRawPointer(bitPattern: probeAddress.load(ordering: .acquiring)) else {
    return isTrackingFirstRead()
  }
  let before = hashes.load(ordering: .relaxed)
  Unmanaged<ObservationProbe>.fromOpaque(address)._withUnsafeGuaranteedRef {
    $0.registrar.access($0, keyPath: $0.keyPath)
  }
  return hashes.load(ordering: .relaxed) != before
}

@inline(never)
private func isTrackingFirstRead() -> Bool {
  if DeletedObjectReads.areReported { return true }
  probeAddress.store(UInt(bitPattern: Unmanaged.passUnretained(probe).toOpaque()), ordering: .sequentiallyConsistent)
  // Another thread may have turned the reports on meanwhile.
  if DeletedObjectReads.areReported { forgetProbe() }
  return isTracking
}

/// As ``_isTrackingReads()``, also while reads of deleted objects are reported.
private var isTracking: Bool {
  let before = hashes.load(ordering: .relaxed)
  probe.registrar.access(probe, keyPath: probe.keyPath)
  return hashes.load(ordering: .relaxed) != before
}

/// Lets the next read of any property check again whether reads of deleted objects are reported.
func forgetProbe() { probeAddress.store(0, ordering: .sequentiallyConsistent) }

/// Reports the read of a property to Observation; not inlined, so that getters stay small.
@inline(never)
public func _trackRead<Model: PersistentModel, Value>(of model: Model, _ keyPath: KeyPath<Model, Value>) {
  if DeletedObjectReads.areReported {
    if model._$state.status == .orphaned { DeletedObjectReads.report(model, keyPath) }
    guard isTracking else { return }
  }
  model._$state._makeRegistrar().access(model, keyPath: keyPath)
}
