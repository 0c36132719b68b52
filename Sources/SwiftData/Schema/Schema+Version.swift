extension Schema {
  /// The version of a schema: three numbers, written `1.0.0`. Apple: `Schema.Version`.
  public struct Version: Codable, Comparable, Hashable, CustomStringConvertible, Sendable {
    /// The first number.
    public let major: Int
    /// The second number.
    public let minor: Int
    /// The third number.
    public let patch: Int

    /// Apple: `Schema.Version.init(_:_:_:)`.
    public init(_ major: Int, _ minor: Int, _ patch: Int) {
      self.major = major
      self.minor = minor
      self.patch = patch
    }

    /// Compares the first numbers, then the second, then the third.
    public static func < (left: Version, right: Version) -> Bool {
      (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }

    /// `1.0.0`: the version identifier of the model in a store's metadata (CD-1.3).
    public var description: String { "\(major).\(minor).\(patch)" }

    /// The version that has a description; `nil` for other text, such as a name that Xcode's editor was given.
    init?(_ description: String) {
      let numbers = description.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
      guard numbers.count == 3, let major = numbers[0], let minor = numbers[1], let patch = numbers[2] else {
        return nil
      }
      self.init(major, minor, patch)
    }
  }
}
