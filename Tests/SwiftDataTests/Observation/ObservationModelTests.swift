import Observation
import Synchronization
import Testing

@testable import SwiftData

@Suite struct ObservationModelTests {
  @Test func `Observers hear changes of tracked properties only`() {
    let book = MacroBook(isbn: "1", title: "Before")
    let changes = Mutex(0)
    withObservationTracking {
      _ = book.title
    } onChange: {
      changes.withLock { $0 += 1 }
    }
    book.pages = 3
    #expect(changes.withLock { $0 } == 0)
    book.title = "After"
    #expect(changes.withLock { $0 } == 1)
  }

  @Test func `Observers hear changes of inherited properties`() {
    let atlas = MacroAtlas(scale: 1)
    let changes = Mutex(0)
    withObservationTracking {
      _ = (atlas.title, atlas.scale)
    } onChange: {
      changes.withLock { $0 += 1 }
    }
    atlas.title = "Other"
    #expect(changes.withLock { $0 } == 1)
  }

  @Test func `An object without observers has no registrar`() {
    let book = MacroBook(isbn: "1", title: "Quiet")
    book.title = "Still quiet"
    #expect(book.title == "Still quiet")
    #expect(book._$state.extras == nil)
  }
}
