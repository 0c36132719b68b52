public import FoundationAdditions

extension ModelContext {
  /// Undoes and redoes the context's changes; `nil`, the default, for a context without undo.
  ///
  ///     context.undoManager = UndoManager()
  ///     book.title = "New"
  ///     context.undoManager?.undo()     // book.title is as before
  ///
  /// The changes of one group are one action: insertions, deletions with everything that delete rules did, values and
  /// relationships. A group ends as `UndoManager.groupsByEvent` says, with ``processPendingChanges()``, and with a
  /// save.
  ///
  /// Changes can be undone after a save, too; the next save writes what the undo changed. An object whose deletion was
  /// saved comes back as the same Swift object, and the next save gives it its former `persistentModelID`, unless another row
  /// has the key by then. An insertion that a save merged with an existing row stays. ``rollback()`` drops all actions of the
  /// context. Changes that other contexts save are not recorded.
  ///
  /// Cost: memory for the values before each change, and for the objects, until their actions are dropped
  /// (`UndoManager.levelsOfUndo`). Without an undo manager nothing is recorded. Apple: `ModelContext.undoManager`.
  public var undoManager: UndoManager? {
    get { undoRecorder?.manager }
    set {
      guard newValue !== undoRecorder?.manager else { return }
      undoRecorder?.stop()
      undoRecorder = newValue.map { UndoRecorder(core, $0) }
    }
  }
}
