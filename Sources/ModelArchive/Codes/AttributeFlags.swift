/// `NSFlagsKey` (VH-17).
enum AttributeFlags {
  static let externalStorage = 4
  static let preservedOnDeletion = 16
}
