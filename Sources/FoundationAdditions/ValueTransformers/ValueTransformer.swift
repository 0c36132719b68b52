#if !canImport(Darwin)
  internal import Foundation
  internal import Synchronization

  /// Converts a value to the stored value of a transformable attribute, and back. Apple: Foundation's `ValueTransformer`.
  ///
  ///     final class ColourTransformer: ValueTransformer {
  ///       override func transformedValue(_ value: Any?) -> Any? { (value as? Colour).map { Data([$0.red]) } }
  ///       override func reverseTransformedValue(_ value: Any?) -> Any? { … }
  ///     }
  ///     ValueTransformer.setValueTransformer(ColourTransformer(), forName: NSValueTransformerName("Colour"))
  ///
  /// Foundation on Linux has no such class.
  open class ValueTransformer: RegisteredTransformer {
    /// A transformer that returns each value unchanged, for subclasses.
    public required init() {}

    /// The class of the transformed value.
    open class func transformedValueClass() -> AnyClass { NSData.self }
    /// Whether ``reverseTransformedValue(_:)`` works.
    open class func allowsReverseTransformation() -> Bool { true }
    /// Converts a value to the stored value, usually `Data`.
    open func transformedValue(_ value: Any?) -> Any? { value }
    /// Converts a stored value back to the attribute's value; by default with ``transformedValue(_:)``.
    open func reverseTransformedValue(_ value: Any?) -> Any? { transformedValue(value) }

    /// The name under which a transformer of this class is registered and stored: the class's name without its module.
    package class var transformerName: String { String(describing: self) }

    private static let registry = Mutex<[String: Registration]>([:])

    private struct Registration: @unchecked Sendable {
      let transformer: ValueTransformer
    }

    /// Registers a transformer under a name and replaces an earlier one; `nil` removes it.
    public static func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
      setValueTransformer(transformer, forName: name.rawValue)
    }

    /// Registers a transformer under a name and replaces an earlier one; `nil` removes it.
    public static func setValueTransformer(_ transformer: ValueTransformer?, forName name: String) {
      let registration = transformer.map { Registration(transformer: $0) }
      registry.withLock { $0[name] = registration }
    }

    /// The transformer that the program registered under a name.
    public static func transformer(forName name: String) -> ValueTransformer? {
      registry.withLock { $0[name] }?.transformer
    }

    /// The names of all registered transformers, and of Foundation's own, in alphabetical order.
    public static func valueTransformerNames() -> [NSValueTransformerName] {
      let own = registry.withLock { Set($0.keys) }
      return own.union(standard.keys.map(\.rawValue)).sorted().map { NSValueTransformerName(rawValue: $0) }
    }

    /// The transformer that the program registered under a name, or Foundation's own of this name.
    static func existing(_ name: NSValueTransformerName) -> ValueTransformer? {
      transformer(forName: name.rawValue) ?? standard[name]?.init()
    }

    private static let standard: [NSValueTransformerName: ValueTransformer.Type] = [
      .negateBooleanTransformerName: NegateBooleanTransformer.self,
      .isNilTransformerName: IsNilTransformer.self,
      .isNotNilTransformerName: IsNotNilTransformer.self,
      .unarchiveFromDataTransformerName: NSSecureUnarchiveFromDataTransformer.self,
      .keyedUnarchiveFromDataTransformerName: NSSecureUnarchiveFromDataTransformer.self,
      .secureUnarchiveFromDataTransformerName: NSSecureUnarchiveFromDataTransformer.self,
    ]
  }

  /// Gives ``ValueTransformer`` its initializer by name; only an initializer of a protocol may return an existing object.
  public protocol RegisteredTransformer {}

  extension RegisteredTransformer {
    /// The transformer registered under a name, or Foundation's own of this name; `nil` if there is none.
    ///
    /// Apple: Foundation's `ValueTransformer.init(forName:)`.
    public init?(forName name: NSValueTransformerName) {
      guard let known = ValueTransformer.existing(name) as? Self else { return nil }
      self = known
    }
  }

  /// The name of a value transformer. Apple: Foundation's `NSValueTransformerName`.
  public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    /// The name.
    public var rawValue: String

    /// A name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A name.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The transformer from true to false and back.
    public static let negateBooleanTransformerName = NSValueTransformerName("NSNegateBoolean")
    /// The transformer that tells whether a value is `nil`.
    public static let isNilTransformerName = NSValueTransformerName("NSIsNil")
    /// The transformer that tells whether a value is not `nil`.
    public static let isNotNilTransformerName = NSValueTransformerName("NSIsNotNil")
    /// A keyed archive makes the bytes.
    public static let unarchiveFromDataTransformerName = NSValueTransformerName("NSUnarchiveFromData")
    /// A keyed archive makes the bytes.
    public static let keyedUnarchiveFromDataTransformerName = NSValueTransformerName("NSKeyedUnarchiveFromData")
    /// A keyed archive of known classes makes the bytes.
    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName("NSSecureUnarchiveFromData")
  }
#endif
