internal import Foundation
internal import Synchronization

/// Converts a value to the stored value of a transformable attribute, and back. Apple: Foundation's `ValueTransformer`.
///
/// Foundation on Linux has no such class.
open class ValueTransformer {
  /// A transformer that returns each value unchanged, for subclasses.
  public required init() {}

  /// The class of the transformed value.
  open class func transformedValueClass() -> AnyClass { NSData.self }
  /// Whether ``reverseTransformedValue(_:)`` works.
  open class func allowsReverseTransformation() -> Bool { true }
  /// Converts a value to the stored value, usually `Data`.
  open func transformedValue(_ value: Any?) -> Any? { value }
  /// Converts a stored value back to the attribute's value.
  open func reverseTransformedValue(_ value: Any?) -> Any? { value }

  /// The name under which a transformer of this class is registered and stored: the class's name without its module.
  class var transformerName: String { String(describing: self) }

  private static let registry = Mutex<[String: Registration]>([:])

  private struct Registration: @unchecked Sendable {
    let transformer: ValueTransformer
  }

  /// Registers a transformer under a name and replaces an earlier one; `nil` removes it.
  public static func setValueTransformer(_ transformer: ValueTransformer?, forName name: String) {
    let registration = transformer.map { Registration(transformer: $0) }
    registry.withLock { $0[name] = registration }
  }

  /// The transformer registered under a name.
  public static func transformer(forName name: String) -> ValueTransformer? {
    registry.withLock { $0[name] }?.transformer
  }
}
