#if !canImport(Darwin)
  internal import Foundation
  internal import PropertyLists

  /// Reads objects of known classes from a keyed archive; its reverse makes the archive.
  ///
  ///     final class RouteTransformer: NSSecureUnarchiveFromDataTransformer {
  ///       override class var allowedTopLevelClasses: [AnyClass] { [Route.self] }
  ///     }
  ///
  /// The classes stand at the top level of a file: Foundation on Linux cannot archive others, and the values are `nil` then.
  /// A transformable attribute uses it the other way around, as in Core Data: the reverse makes the stored bytes.
  /// Apple: Foundation's `NSSecureUnarchiveFromDataTransformer`.
  open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
    /// The classes that an archive may contain; property-list classes by default.
    open class var allowedTopLevelClasses: [AnyClass] {
      [
        NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self, NSData.self, NSURL.self,
        NSUUID.self, NSNull.self,
      ]
    }

    /// The class of the objects in the archive.
    open override class func transformedValueClass() -> AnyClass { NSObject.self }

    /// The object in the archive; `nil` for a value that is no archive, or holds an object of another class.
    open override func transformedValue(_ value: Any?) -> Any? {
      guard let data = value as? Data, Self.canArchive, Self.isReadable(data) else { return nil }
      return try? NSKeyedUnarchiver.unarchivedObject(ofClasses: Self.allowedTopLevelClasses, from: data)
    }

    /// The archive of an object; `nil` for an object that cannot be archived.
    open override func reverseTransformedValue(_ value: Any?) -> Any? {
      guard let value, Self.canArchive else { return nil }
      return try? NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
    }

    /// Whether an archive has only allowed classes, and what Foundation reads without a look. Foundation on Linux ends the program at others.
    private class func isReadable(_ data: Data) -> Bool {
      let check = ArchiveCheck(allowedClasses: Set(allowedTopLevelClasses.map { NSStringFromClass($0) }))
      do { return try check.allows(KeyedArchive(BinaryPropertyList(data)).rootObject()) } catch { return false }
    }

    /// Whether all allowed classes stand at the top level of a file. Foundation on Linux archives no others: it ends the program.
    private class var canArchive: Bool {
      allowedTopLevelClasses.allSatisfy { String(reflecting: $0).split(separator: ".").count <= 2 }
    }
  }

  /// Turns true into false and back.
  final class NegateBooleanTransformer: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSNumber.self }
    override func transformedValue(_ value: Any?) -> Any? { (value as? Bool).map { !$0 } }
  }

  /// Tells whether a value is `nil`.
  final class IsNilTransformer: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSNumber.self }
    override class func allowsReverseTransformation() -> Bool { false }
    override func transformedValue(_ value: Any?) -> Any? { value == nil }
  }

  /// Tells whether a value is not `nil`.
  final class IsNotNilTransformer: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSNumber.self }
    override class func allowsReverseTransformation() -> Bool { false }
    override func transformedValue(_ value: Any?) -> Any? { value != nil }
  }
#endif
