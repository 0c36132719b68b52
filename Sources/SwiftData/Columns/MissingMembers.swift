/// Knows the zero of each type: 0, "", an empty collection, and so on.
protocol ZeroSource: Sendable {
  /// `nil` if the type has none.
  func zero<Value>(of type: Value.Type) -> Value?
}

/// What is known of the members that a stored value lacks while it is read, so that they read as zero.
///
/// Each value that lacks a member has one; values inside it get their own.
///
/// A type may handle the error of a missing member, such as `try? container.decode(…)`, and then read another form. Its choice must stay.
/// So a member reads as zero only if its error was the error of the whole value. No member does if the value may have an earlier form.
///
/// One thread reads a value, and uses this.
final class MissingMembers: @unchecked Sendable {
  /// A coding key, by the type of the keys and its name.
  private struct Member: Hashable {
    let keys: ObjectIdentifier
    let name: String

    init(_ key: any CodingKey) {
      keys = ObjectIdentifier(Swift.type(of: key))
      name = key.stringValue
    }

    init?(_ error: any Error) {
      guard case .keyNotFound(let key, _)? = error as? DecodingError else { return nil }
      self.init(key)
    }
  }

  private let zeros: any ZeroSource
  private let escaped: Set<Member>
  /// The first member whose error escapes this value; `nil` after it read as zero. What lacks other members before is handled by its type.
  private var next: Member?
  /// Whether a form was tried that cannot be read.
  private var hasTried: Bool
  /// The keys of the forms that were tried, know all stored members, and lack others.
  private var rivals: Set<ObjectIdentifier>

  private init(
    _ zeros: any ZeroSource, escaped: Set<Member>, next: Member, hasTried: Bool = false,
    rivals: Set<ObjectIdentifier> = []
  ) {
    self.zeros = zeros
    self.escaped = escaped
    self.next = next
    self.hasTried = hasTried
    self.rivals = rivals
  }

  /// Reads a stored value: exactly, and if it lacks members, with zeros.
  ///
  /// - Throws: the error of `exact`, if missing members are not the only problem, or if the form of the value is not certain.
  static func decode<Value>(
    _ zeros: any ZeroSource, _ exact: () throws -> Value, filling: (MissingMembers) throws -> Value
  ) throws -> Value {
    do { return try exact() } catch {
      guard let first = Member(error) else { throw error }
      var (escaped, new) = (Set<Member>(), first)
      // Each pass finds one member.
      while escaped.count < 64, escaped.insert(new).inserted {
        do { return try filling(MissingMembers(zeros, escaped: escaped, next: first)) } catch let other {
          guard let member = Member(other) else { break }
          new = member
        }
      }
      throw error
    }
  }

  /// Reads a value inside this one.
  func decode<Value>(_ exact: () throws -> Value, filling: (MissingMembers) throws -> Value) throws -> Value {
    do { return try exact() } catch {
      guard let first = Member(error) else {
        hasTried = true
        throw error
      }
      let part = MissingMembers(zeros, escaped: escaped, next: first, hasTried: hasTried, rivals: rivals)
      do {
        let value = try filling(part)
        next = nil
        return value
      } catch let other {
        hasTried = true
        rivals.formUnion(part.rivals)
        throw other
      }
    }
  }

  /// The value for a member that this value lacks; `nil` if its absence is an error.
  ///
  /// - Parameter knowsAll: whether each stored member has such a key.
  func zero<Key: CodingKey, Value>(_ type: Value.Type, for key: Key, knowsAll: () -> Bool) -> Value? {
    let (member, keys) = (Member(key), ObjectIdentifier(Key.self))
    if next == nil || next == member, escaped.contains(member),
      !hasTried || (rivals.isSubset(of: [keys]) && knowsAll()), let zero = zeros.zero(of: type)
    {
      next = nil
      return zero
    }
    hasTried = true
    if knowsAll() { rivals.insert(keys) }
    return nil
  }
}

extension Error {
  /// Whether a value lacks a member that its type requires.
  var isMissingMember: Bool {
    if case .keyNotFound? = self as? DecodingError { true } else { false }
  }
}
