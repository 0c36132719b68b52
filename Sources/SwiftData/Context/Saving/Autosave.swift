internal import Foundation
internal import Logging

/// Saves a context automatically, a quarter of a second after its first unsaved change.
///
/// Saves run in the context's place: on its actor, or on the queue of its executor. A context without such a place does not save
/// automatically, and logs a warning at its first unsaved change.
///
/// A failed save keeps the changes. It is logged and posted as ``ModelContext/autosaveDidFail``, and the next change tries again.
final class Autosave {
  private unowned let context: ModelContext
  private var listener: Int?
  private var isScheduled = false
  private var hasWarned = false

  /// The time during which changes are collected.
  static let delay = Duration.milliseconds(250)

  var isEnabled = false {
    didSet {
      isEnabled ? begin() : stopListening()
    }
  }

  init(_ context: ModelContext) { self.context = context }

  private func warnOfMissingPlace() {
    guard !hasWarned else { return }
    hasWarned = true
    Logger(label: "SwiftData").warning(
      """
      autosaveEnabled has no effect: the context was made outside of any actor, so there is no place to save it from. Make it on \
      an actor, or with ModelContext(container, isolation: actor), or call save().
      """)
  }

  /// Tells of a context that is released before its next automatic save.
  static func warnOfLostChanges() {
    Logger(label: "SwiftData").warning(
      """
      A context with autosaveEnabled was released before its automatic save, and its unsaved changes are lost: call save() when the \
      work is done.
      """)
  }

  /// Waits for the next change, or schedules a save if there are changes already.
  private func begin() {
    guard !isScheduled else { return }
    if context.hasChanges { schedule() } else { listen() }
  }

  private func listen() {
    guard isEnabled, listener == nil else { return }
    listener = context.core.changeStream.addListener(hearBatch: { [weak self] in self?.schedule() }) {
      [weak self] change in
      switch change {
      case .inserted, .deleted, .willChange: self?.schedule()
      case .linked, .replaced, .willRefresh, .rolledBack, .willSave, .saved, .merged: break
      }
    }
  }

  private func stopListening() {
    if let listener { context.core.changeStream.removeListener(listener) }
    listener = nil
  }

  private func schedule() {
    // Further changes cost nothing until the save has run.
    stopListening()
    guard !isScheduled else { return }
    // The place of a model actor is its executor. The actor's initializer may enable automatic saves first.
    guard let isolation = context.isolation else { return warnOfMissingPlace() }
    isScheduled = true
    isolation.perform(after: Self.delay) { $0.autosave?.run() }
  }

  private func run() {
    isScheduled = false
    guard isEnabled else { return }
    // Listens before it saves: a change during the save schedules the next one.
    listen()
    guard context.hasChanges else { return }
    do {
      try context.save()
    } catch {
      context.core.log(error, "saving automatically")
      NotificationCenter.default.post(
        name: ModelContext.autosaveDidFail, object: context, userInfo: [ModelContext.autosaveErrorKey: error])
    }
  }
}
