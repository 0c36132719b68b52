/// `_P`: the flags of a property in one number. Their meaning follows from 11,000 archived properties. No fixture shows
/// the flags for Spotlight and for external records: they are the two bits in between.
struct PropertyBits: OptionSet {
  let rawValue: Int

  static let always = PropertyBits(rawValue: 0x001)
  static let optional = PropertyBits(rawValue: 0x002)
  static let readOnly = PropertyBits(rawValue: 0x004)
  static let transient = PropertyBits(rawValue: 0x008)
  static let noValidation = PropertyBits(rawValue: 0x030)
  static let noUserInfo = PropertyBits(rawValue: 0x040)
  static let noVersionHashModifier = PropertyBits(rawValue: 0x080)
  static let indexedBySpotlight = PropertyBits(rawValue: 0x100)
  static let storedInExternalRecord = PropertyBits(rawValue: 0x200)
  static let ordered = PropertyBits(rawValue: 0x400)
  static let cloudEncryption = PropertyBits(rawValue: 0x800)
}
