extension ContextCore {
  /// Makes changes that are not the user's: they record no undo action.
  func withoutUndo(_ body: () throws -> Void) rethrows {
    guard let recorder = modelContext?.undoRecorder else { return try body() }
    try recorder.pausing(body)
  }
}
