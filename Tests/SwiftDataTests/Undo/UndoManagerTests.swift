import Foundation
import SwiftData
import Testing

/// A text whose changes can be undone.
private final class Document {
  let manager: SwiftData.UndoManager
  private(set) var text = ""

  init(_ manager: SwiftData.UndoManager) { self.manager = manager }

  func set(_ text: String) {
    manager.registerUndo(withTarget: self) { [old = self.text] in $0.set(old) }
    self.text = text
  }
}

@Suite("The undo manager")
struct UndoManagerTests {
  let manager = SwiftData.UndoManager()
  private let document: Document

  init() { document = Document(manager) }

  /// Sets the text as one group.
  private func set(_ text: String) {
    manager.beginUndoGrouping()
    document.set(text)
    manager.endUndoGrouping()
  }

  @Test("Actions are undone in groups, the latest first, and done again")
  func groups() {
    set("a")
    manager.beginUndoGrouping()
    document.set("b")
    document.set("c")
    manager.endUndoGrouping()
    #expect(manager.undoCount == 2 && manager.canUndo && !manager.canRedo)
    manager.undo()
    #expect(document.text == "a" && manager.redoCount == 1)
    manager.undo()
    #expect(document.text.isEmpty && !manager.canUndo)
    manager.undo()
    manager.redo()
    #expect(document.text == "a")
    manager.redo()
    #expect(document.text == "c")
    manager.undo()
    set("d")
    #expect(!manager.canRedo, "a new action removes the actions to redo")
  }

  @Test("The run loop modes are kept and have no effect")
  func runLoopModes() {
    #expect(manager.runLoopModes == [.default])
    manager.runLoopModes = [.common]
    set("a")
    #expect(manager.runLoopModes == [.common] && manager.undoCount == 1)
  }

  @Test("Groups are nested, and the last inner group can be undone alone")
  func nested() {
    manager.beginUndoGrouping()
    document.set("a")
    set("b")
    set("c")
    #expect(manager.groupingLevel == 1)
    manager.undoNestedGroup()
    #expect(document.text == "b")
    manager.endUndoGrouping()
    manager.undo()
    #expect(document.text.isEmpty)
  }

  @Test("One undo closes and undoes the group of an event")
  func event() {
    document.set("a")
    document.set("b")
    #expect(manager.groupingLevel == 1 && manager.undoCount == 1)
    manager.undo()
    #expect(document.text.isEmpty && manager.groupingLevel == 0)
  }

  @Test("Without groups by event an action is a group of its own")
  func noEvents() {
    manager.groupsByEvent = false
    document.set("a")
    document.set("b")
    #expect(manager.undoCount == 2)
    manager.undo()
    #expect(document.text == "a")
  }

  @Test("Names and values of actions move from undo to redo")
  func names() {
    set("a")
    manager.setActionName("Type")
    manager.setActionIsDiscardable(true)
    let key = SwiftData.UndoManager.UserInfoKey(rawValue: "place")
    manager.setActionUserInfoValue(7, forKey: key)
    #expect(manager.undoActionName == "Type" && manager.undoMenuItemTitle == "Undo Type")
    #expect(manager.redoMenuItemTitle == "Redo" && manager.undoActionIsDiscardable)
    manager.undo()
    #expect(manager.redoActionName == "Type" && manager.redoMenuItemTitle == "Redo Type")
    #expect(manager.undoActionName.isEmpty && manager.redoActionIsDiscardable)
    #expect(manager.redoActionUserInfoValue(forKey: key) as? Int == 7)
  }

  @Test("At most so many groups are kept")
  func levels() {
    for text in ["a", "b", "c", "d"] { set(text) }
    manager.levelsOfUndo = 2
    #expect(manager.undoCount == 2)
    set("e")
    manager.undo()
    manager.undo()
    manager.undo()
    #expect(document.text == "c" && manager.redoCount == 2)
  }

  @Test("Nothing is recorded while registration is disabled, also nested")
  func disabled() {
    manager.disableUndoRegistration()
    manager.disableUndoRegistration()
    document.set("a")
    manager.enableUndoRegistration()
    #expect(!manager.isUndoRegistrationEnabled)
    manager.enableUndoRegistration()
    #expect(manager.isUndoRegistrationEnabled && !manager.canUndo)
    manager.enableUndoRegistration()
    set("b")
    manager.undo()
    #expect(document.text == "a")
  }

  @Test("Actions of one target, or all, are removed")
  func removing() {
    let other = Document(manager)
    set("a")
    other.set("x")
    manager.endUndoGrouping()
    manager.removeAllActions(withTarget: document)
    #expect(manager.undoCount == 1)
    manager.undo()
    #expect(document.text == "a" && other.text.isEmpty)
    manager.disableUndoRegistration()
    manager.removeAllActions()
    #expect(!manager.canUndo && !manager.canRedo && manager.isUndoRegistrationEnabled)
  }

  @Test("A released target's actions do nothing, and empty groups are dropped")
  func released() {
    do {
      let other = Document(manager)
      other.set("x")
    }
    manager.undo()
    #expect(!manager.canRedo)
    manager.beginUndoGrouping()
    manager.endUndoGrouping()
    #expect(!manager.canUndo)
  }

  @Test("Wrong nesting does nothing")
  func wrongNesting() {
    manager.endUndoGrouping()
    manager.beginUndoGrouping()
    manager.beginUndoGrouping()
    document.set("a")
    manager.undo()
    manager.redo()
    #expect(document.text == "a" && manager.groupingLevel == 2)
    manager.undoNestedGroup()
    manager.endUndoGrouping()
    manager.registerUndo(withTarget: document) { [manager] _ in
      #expect(manager.isUndoing)
      manager.undo()
      manager.endUndoGrouping()
    }
    manager.endUndoGrouping()
    manager.undo()
    #expect(document.text.isEmpty && !manager.isUndoing && manager.groupingLevel == 0)
  }

  @Test("Notifications come with Foundation's names")
  func notifications() {
    let names: [Notification.Name] = [
      .NSUndoManagerCheckpoint, .NSUndoManagerDidOpenUndoGroup, .NSUndoManagerWillCloseUndoGroup,
      .NSUndoManagerDidCloseUndoGroup, .NSUndoManagerWillUndoChange, .NSUndoManagerDidUndoChange,
      .NSUndoManagerWillRedoChange, .NSUndoManagerDidRedoChange,
    ]
    nonisolated(unsafe) var posted: [String] = []
    let observers = names.map { name in
      NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) {
        posted.append($0.name.rawValue)
      }
    }
    defer { observers.forEach { NotificationCenter.default.removeObserver($0) } }
    set("a")
    let short = posted.map { $0.replacing("NSUndoManager", with: "").replacing("Notification", with: "") }
    #expect(
      short == ["Checkpoint", "DidOpenUndoGroup", "Checkpoint", "WillCloseUndoGroup", "DidCloseUndoGroup"])
    manager.undo()
    manager.redo()
    #expect(Set(posted) == Set(names.map(\.rawValue)))
  }
}
