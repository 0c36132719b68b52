import Foundation
import FoundationAdditions
import Testing

@Suite("Sequences of notifications")
struct NotificationSequenceTests {
  private final class Sender: @unchecked Sendable {}

  private let center = NotificationCenter()
  private let name = Notification.Name("sent")

  private func post(_ number: Int, from sender: Sender? = nil) {
    center.post(name: name, object: sender, userInfo: ["number": number])
  }

  private func number(_ notification: Notification?) -> Int? { notification?.userInfo?["number"] as? Int }

  @Test func `An iterator gives all notifications of the name since it was made, in their order`() async {
    let sequence = center.notifications(named: name)
    post(0)
    var iterator = sequence.makeAsyncIterator()
    for index in 1...100 { post(index) }
    center.post(name: Notification.Name("other"), object: nil)
    var numbers: [Int?] = []
    for _ in 1...100 { numbers.append(number(await iterator.next())) }
    #expect(numbers == Array(1...100))
    var second = sequence.makeAsyncIterator()
    post(101)
    #expect(number(await second.next()) == 101)
    #expect(number(await iterator.next()) == 101)
  }

  @Test func `An object has a sequence of its own, which ends with the object`() async {
    var sender: Sender? = Sender()
    let (mine, other) = (sender, Sender())
    let sequence = center.notifications(named: name, object: mine)
    var iterator = sequence.makeAsyncIterator()
    post(1, from: other)
    post(2, from: mine)
    #expect(number(await iterator.next()) == 2)
    sender = Sender()
    let released = center.notifications(named: name, object: Sender())
    var none = released.makeAsyncIterator()
    post(3, from: sender)
    #expect(await none.next() == nil)
  }

  @Test func `A cancelled task ends its loop, and a released iterator observes no more`() async {
    final class Payload {}
    let sequence = center.notifications(named: name)
    let task = Task {
      var count = 0
      for await _ in sequence { count += 1 }
      return count
    }
    task.cancel()
    #expect(await task.value == 0)
    var iterator: NotificationCenter.Notifications.Iterator? = sequence.makeAsyncIterator()
    weak var kept: Payload?
    func send() {
      let payload = Payload()
      kept = payload
      center.post(name: name, object: payload)
    }
    send()
    #expect(iterator != nil && kept != nil)
    iterator = nil
    #expect(kept == nil)
    send()
    #expect(kept == nil)
  }

  @MainActor @Test func `A loop of the main actor reads notifications that another thread posts`() async {
    var numbers: [Int?] = []
    var iterator = center.notifications(named: name).makeAsyncIterator()
    let (center, name) = (center, name)
    Task.detached { for index in 0..<3 { center.post(name: name, object: nil, userInfo: ["number": index]) } }
    for _ in 0..<3 { numbers.append(number(await iterator.next(isolation: MainActor.shared))) }
    #expect(numbers == [0, 1, 2])
    let texts = center.notifications(named: name).compactMap { $0.userInfo?["number"] as? Int }.map { "\($0)" }
    var textIterator = texts.makeAsyncIterator()
    center.post(name: name, object: nil, userInfo: ["number": 7])
    #expect(await textIterator.next() == "7")
  }
}
