internal import Foundation
internal import Synchronization

/// Turns a value into one of another type, and back: what stores a transformable attribute.
///
/// Linux's Foundation has no such class. Apple: Foundation's `ValueTransformer`.
open class ValueTransformer {
  /// A transformer without effect, for subclasses.
  public required init() {}

  /// The class of the transformed value.
  open class func transformedValueClass() -> AnyClass { NSData.self }
  /// Whether ``reverseTransformedValue(_:)`` works.
  open class func allowsReverseTransformation() -> Bool { true }
  /// The value as it is to be stored, usually `Data`.
  open func transformedValue(_ value: Any?) -> Any? { value }
  /// The value of what was stored.
  open func reverseTransformedValue(_ value: Any?) -> Any? { value }

  /// The name a transformer of this class is registered and stored under: the class's, without its module.
  class var transformerName: String { String(describing: self) }

  private static let registry = Mutex<[String: Registration]>([:])

  private struct Registration: @unchecked Sendable {
    let transformer: ValueTransformer
  }

  /// Registers a transformer under a name, in place of an earlier one.
  public static func setValueTransformer(_ transformer: ValueTransformer?, forName name: String) {
    let registration = transformer.map { Registration(transformer: $0) }
    registry.withLock { $0[name] = registration }
  }

  /// The transformer registered under a name.
  public static func transformer(forName name: String) -> ValueTransformer? {
    registry.withLock { $0[name] }?.transformer
  }
}
