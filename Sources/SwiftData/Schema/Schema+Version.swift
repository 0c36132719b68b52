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
  }
}
