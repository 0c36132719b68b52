#if !canImport(Darwin)
  public import Foundation

  extension NotificationCenter {
    /// The notifications of a name, one after another.
    ///
    ///     for await notice in NotificationCenter.default.notifications(named: ModelContext.didSave) {
    ///       print(notice.userInfo ?? [:])
    ///     }
    ///
    /// A loop receives the notifications that are posted after its start, in their order. Notifications that the loop has not read
    /// yet are kept in memory. The loop ends when its task is cancelled.
    /// Apple: `NotificationCenter.notifications(named:object:)`.
    ///
    /// - Parameters:
    ///   - name: the name of the notifications.
    ///   - object: the object that posts the notifications; any object if `nil`. The sequence does not retain it.
    public func notifications(named name: Notification.Name, object: AnyObject? = nil) -> Notifications {
      Notifications(center: self, name: name, object: object)
    }

    /// A sequence of notifications without an end. Apple: `NotificationCenter.Notifications`.
    public final class Notifications: AsyncSequence, @unchecked Sendable {
      /// A notification.
      public typealias Element = Notification
      /// No error ends the sequence.
      public typealias Failure = Never

      private let center: NotificationCenter
      private let name: Notification.Name
      private weak var object: AnyObject?
      private let hasObject: Bool

      fileprivate init(center: NotificationCenter, name: Notification.Name, object: AnyObject?) {
        (self.center, self.name, self.object, hasObject) = (center, name, object, object != nil)
      }

      /// Starts to observe the notifications; stops when the iterator is released.
      public func makeAsyncIterator() -> Iterator {
        let (stream, continuation) = AsyncStream.makeStream(of: Posted.self)
        let object = self.object
        guard object != nil || !hasObject else {
          continuation.finish()  // a released object posts nothing
          return Iterator(posted: stream.makeAsyncIterator())
        }
        nonisolated(unsafe) let observer = center.addObserver(forName: name, object: object, queue: nil) {
          continuation.yield(Posted(notification: $0))
        }
        continuation.onTermination = { [center] _ in center.removeObserver(observer) }
        return Iterator(posted: stream.makeAsyncIterator())
      }

      /// The notifications since the iterator was made. Apple: `NotificationCenter.Notifications.Iterator`.
      public struct Iterator: AsyncIteratorProtocol {
        fileprivate var posted: AsyncStream<Posted>.Iterator

        /// Waits for the next notification; `nil` if the task was cancelled.
        public mutating func next() async -> Notification? { await next(isolation: nil) }

        /// Waits for the next notification on an actor; `nil` if the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Notification? {
          await posted.next(isolation: actor)?.notification
        }
      }
    }
  }

  /// A notification on its way from the thread that posts it; a notification need not be `Sendable`.
  private struct Posted: @unchecked Sendable {
    let notification: Notification
  }
#endif
