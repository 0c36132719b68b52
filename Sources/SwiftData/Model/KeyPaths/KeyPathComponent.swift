/// A component of a key path.
enum KeyPathComponent: Equatable {
  /// A property that is stored in a structure or a class.
  case stored
  /// A property with a getter, or a subscript.
  case computed(Accessor)
  /// A `?`, or the optional around the value of a path that contains a `?`.
  case optional
  /// A `!`.
  case forced

  /// What the standard library compares to tell whether two computed components are equal.
  ///
  /// A property has the same identity in key paths of its class, of subclasses, and of other modules.
  struct Accessor: Hashable {
    let identity: UInt
    let kind: UInt32
    /// Whether this is a requirement of a protocol; its identity does not lead to the property of the class.
    let isRequirement: Bool
  }

  /// The components of a key path, each with the type of its value; `nil` if this version of Swift lays them out in
  /// another way.
  static func all(of keyPath: AnyKeyPath) -> [(component: KeyPathComponent, type: Any.Type)]? {
    isLayoutKnown ? read(keyPath) : nil
  }

  private static func read(_ keyPath: AnyKeyPath) -> [(component: KeyPathComponent, type: Any.Type)]? {
    withExtendedLifetime(keyPath) {
      var bytes = KeyPathBytes(keyPath)
      var components: [(component: KeyPathComponent, type: Any.Type)] = []
      while !bytes.isAtEnd {
        guard let component = bytes.takeComponent() else { return nil }
        // The last component has the type of the whole path.
        if bytes.isAtEnd {
          components.append((component, type(of: keyPath).valueType))
        } else if let type = bytes.take(Any.Type.self) {
          components.append((component, type))
        } else {
          return nil
        }
      }
      return components
    }
  }

  /// Whether a known key path has its components where they are expected.
  private static let isLayoutKnown: Bool = {
    let keyPath: AnyKeyPath = \LayoutSample.next?.number
    let types: [Any.Type] = [LayoutSample?.self, LayoutSample.self, Int.self, Int?.self]
    guard KeyPathBytes(keyPath).count < 256, let found = read(keyPath), found.count == 4,
      zip(found, types).allSatisfy({ $0.type == $1 }), case .computed = found[0].component
    else { return false }
    return found.dropFirst().map(\.component) == [.optional, .stored, .optional]
  }()

  private final class LayoutSample {
    let number = 0
    var next: LayoutSample? { nil }
  }
}

/// The components of a key path in memory (`KeyPath.swift` and `shims/KeyPath.h` of Swift's standard library).
///
/// The standard library has no API for them, and the key path's description shows no identities.
private struct KeyPathBytes {
  private var next: UnsafeRawPointer
  private let end: UnsafeRawPointer

  /// Starts behind the object's header, the pointer to a name that Objective-C uses, and the header of the components.
  init(_ keyPath: AnyKeyPath) {
    let word = MemoryLayout<UInt>.size
    let object = UnsafeRawPointer(Unmanaged.passUnretained(keyPath).toOpaque())
    let size = object.load(fromByteOffset: 3 * word, as: UInt32.self) & 0xFF_FFFF
    next = object + 4 * word
    end = next + Int(size)
  }

  var count: Int { end - next }
  var isAtEnd: Bool { next >= end }

  mutating func take<Value>(_ type: Value.Type) -> Value? {
    next = next.alignedUp(for: type)
    guard count >= MemoryLayout<Value>.size else { return nil }
    defer { next += MemoryLayout<Value>.size }
    return next.load(as: type)
  }

  mutating func takeComponent() -> KeyPathComponent? {
    guard let header = take(UInt32.self) else { return nil }
    let payload = header & 0x7F_FFFF
    switch header >> 24 & 0x7F {
    case 1, 3:
      // An offset that is too big for the header follows it.
      guard payload != 0x7F_FFFF || take(UInt32.self) != nil else { return nil }
      return .stored
    case 2: return takeAccessor(header).map { .computed($0) }
    case 4: return payload == 2 ? .forced : .optional
    default: return nil
    }
  }

  private mutating func takeAccessor(_ header: UInt32) -> KeyPathComponent.Accessor? {
    let isSettable = header & 0x40_0000 != 0
    let isByIndex = header & 0x10_0000 != 0
    let hasArguments = header & 0x8_0000 != 0
    guard let identity = take(UInt.self), skip(words: isSettable ? 2 : 1) else { return nil }
    if hasArguments {
      let isFromOtherModule = header & 0x10 != 0
      guard let size = take(Int.self), skip(words: isFromOtherModule ? 2 : 1), skip(bytes: size) else { return nil }
    }
    return KeyPathComponent.Accessor(
      identity: identity, kind: header & 0x30_0000, isRequirement: isByIndex && hasArguments)
  }

  private mutating func skip(words: Int) -> Bool { skip(bytes: words * MemoryLayout<UInt>.size) }

  private mutating func skip(bytes: Int) -> Bool {
    guard (0...max(count, 0)).contains(bytes) else { return false }
    next += bytes
    return true
  }
}
