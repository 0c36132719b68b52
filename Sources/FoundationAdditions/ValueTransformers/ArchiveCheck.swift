#if !canImport(Darwin)
  internal import Foundation
  internal import PropertyLists

  /// Tells whether Foundation can read an archive without ending the program.
  struct ArchiveCheck {
    /// The names of the classes that an archive may contain. A mutable class counts as the class that it extends.
    let allowedClasses: Set<String>

    private static let depthLimit = 64
    private static let mutableClasses = [
      "NSMutableString": "NSString", "NSMutableArray": "NSArray", "NSMutableDictionary": "NSDictionary",
      "NSMutableSet": "NSSet", "NSMutableData": "NSData", "NSDecimalNumber": "NSNumber",
      "NSDecimalNumberPlaceholder": "NSNumber",
    ]

    /// Whether an object and the objects in it are of allowed classes, and have the parts of their class.
    func allows(_ object: ArchivedObject, depth: Int = 0) throws -> Bool {
      guard depth < Self.depthLimit else { return false }
      guard case .dictionary = object.content else { return true }
      // Foundation makes an object of the class that the archive names. The list of superclasses beside it may say anything.
      guard let name = object.classChain.first else { return false }
      let className = Self.mutableClasses[name] ?? name
      guard allowedClasses.contains(className) else { return false }
      func allows(_ members: [ArchivedObject]?) throws -> Bool {
        try members?.allSatisfy { try self.allows($0, depth: depth + 1) } ?? false
      }
      switch className {
      case "NSString": return object.text != nil
      case "NSArray", "NSSet": return try allows(object.references(to: "NS.objects", "root"))
      case "NSDictionary":
        let (keys, values) = try (object.references(to: "NS.keys", "root"), object.references(to: "NS.objects", "root"))
        return try keys?.count == values?.count && allows(keys) && allows(values)
      case "NSURL":
        guard let text = try object.object("NS.relative"), try isText(text) else { return false }
        guard let base = try object.object("NS.base") else { return true }
        return try base.classChain.first == "NSURL" && self.allows(base, depth: depth + 1)
      case "NSDate": return try object.seconds() != nil
      case "NSData": return try part("NS.data", of: object) != nil
      case "NSUUID": return try part("NS.uuidbytes", of: object)?.count == 16
      case "NSNumber": return try name == className || object.integer("NS.length").map { (0...8).contains($0) } ?? false
      default: return true
      }
    }

    /// Whether an object is a text, in place or as an object.
    private func isText(_ object: ArchivedObject) throws -> Bool {
      switch object.content {
      case .string: true
      case .dictionary:
        ["NSString", "NSMutableString"].contains(object.classChain.first) && object.text != nil
      default: false
      }
    }

    private func part(_ key: String, of object: ArchivedObject) throws -> Data? {
      if case .data(let bytes)? = try object.object(key)?.content { bytes } else { nil }
    }
  }
#endif
