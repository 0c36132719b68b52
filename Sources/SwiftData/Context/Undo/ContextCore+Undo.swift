extension ContextCore {
  /// Makes changes that are not the user's: they record no undo action.
  func withoutUndo(_ body: () throws -> Void) rethrows {
    guard let recorder = modelContext?.undoRecorder else { return try body() }
    try recorder.pausing(body)
  }

  /// Makes changes that follow from the program's: they belong to the open action. If none is open, they record none.
  func withinAction(_ body: () -> Void) {
    guard let recorder = modelContext?.undoRecorder, !recorder.hasOpenAction else { return body() }
    recorder.pausing(body)
  }
}
