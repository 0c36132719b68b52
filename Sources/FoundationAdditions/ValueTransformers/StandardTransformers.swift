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

    /// Whether an archive has only allowed classes, at its root and in collections. Foundation on Linux ends the program at others.
    private class func isReadable(_ data: Data) -> Bool {
      let names = allowedTopLevelClasses.map { NSStringFromClass($0) }
      func isAllowed(_ object: ArchivedObject, depth: Int) throws -> Bool {
        guard depth < 64 else { return false }
        if object.classChain.isEmpty {
          // A text, a number or the like. An object without a class is none of these.
          if case .dictionary = object.content { return false }
          return true
        }
        guard names.contains(where: object.isKind), hasParts(object) else { return false }
        let members: [ArchivedObject]?
        if object.isKind(of: "NSURL") {
          return try object.object("NS.base").map { try isAllowed($0, depth: depth + 1) } ?? true
        } else if object.isKind(of: "NSDictionary") {
          members = try object.entries(as: "root")?.map(\.value)
        } else if object.isKind(of: "NSArray") || object.isKind(of: "NSSet") {
          members = try object.elements(as: "root")
        } else {
          return true
        }
        return try members?.allSatisfy { try isAllowed($0, depth: depth + 1) } ?? false
      }
      do { return try isAllowed(KeyedArchive(BinaryPropertyList(data)).rootObject(), depth: 0) } catch { return false }
    }

    /// Whether an object of a class of Foundation has what Foundation reads without a look.
    private class func hasParts(_ object: ArchivedObject) -> Bool {
      func part(_ key: String) -> BinaryPropertyList.Object? { try? object.object(key)?.content }
      if object.isKind(of: "NSString") { return object.text != nil }
      if object.isKind(of: "NSURL") { return (try? object.string("NS.relative")) != nil }
      if object.isKind(of: "NSDate") { return (try? object.seconds()) != nil }
      if object.isKind(of: "NSUUID") {
        if case .data(let bytes)? = part("NS.uuidbytes") { return bytes.count == 16 }
        return false
      }
      if object.isKind(of: "NSData") { if case .data? = part("NS.data") { return true } else { return false } }
      return true
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
