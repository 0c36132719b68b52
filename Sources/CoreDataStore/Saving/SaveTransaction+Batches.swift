import SQLite
import StoreRequests

extension SaveTransaction {
  /// Carries out the batch changes, before all other changes of the save.
  mutating func writeBatches() throws {
    guard !changes.batches.isEmpty else { return }
    var writer = BatchWriter(connection, layout, isRecording: history.isRecording, maySkipRows: maySkipRows)
    for batch in changes.batches {
      switch batch {
      case .delete(let selection): try writer.delete(selection, history: &history)
      case .update(let selection, let assignments): try writer.update(selection, assignments)
      case .empty(let names): try writer.empty(names, history: &history)
      }
    }
    (result.batchDeleted, result.batchUpdated) = try writer.result()
    batches = writer
  }
}
