/// The bits of `NSFetchRequestFlags`, found by comparing compiled models with their sources.
struct FetchRequestFlags: OptionSet {
  let rawValue: Int

  static let returnsDistinctResults = FetchRequestFlags(rawValue: 1)
  static let includesSubentities = FetchRequestFlags(rawValue: 2)
  static let includesPropertyValues = FetchRequestFlags(rawValue: 4)
  static let returnsObjectsAsFaults = FetchRequestFlags(rawValue: 8)
  static let includesPendingChanges = FetchRequestFlags(rawValue: 16)
  static let usual = FetchRequestFlags(rawValue: 30)
}
