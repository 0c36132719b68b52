package import Foundation

/// An attribute of an entity, or an element of a composite type.
package struct AttributeDescription: Sendable, Hashable {
  package var name: String
  package var type: AttributeType
  package var isOptional: Bool
  package var isTransient: Bool
  /// Derived attributes are read-only in archives; the flag is hashed (VH-4).
  package var isReadOnly: Bool
  package var defaultValue: AttributeValue?
  /// The class of the value (`NSAttributeValueClassName`, `customClassName`); `nil` if the model names none.
  package var valueClassName: String?
  package var valueTransformerName: String?
  package var allowsExternalBinaryDataStorage: Bool
  package var preservesValueInHistoryOnDeletion: Bool
  package var allowsCloudEncryption: Bool
  /// The indexed flag used before fetch indexes (2017).
  package var isIndexed: Bool
  package var isIndexedBySpotlight: Bool
  package var isStoredInExternalRecord: Bool
  package var usesScalarValueType: Bool
  /// The smallest value allowed, or the smallest length of a string.
  package var minimumValue: AttributeValue?
  /// The largest value allowed, or the largest length of a string.
  package var maximumValue: AttributeValue?
  /// A regular expression that a string has to match as a whole.
  package var regularExpression: String?
  /// Other validation rules. Xcode has no field for them; only a program creates them.
  package var validationRules: [ValidationRule]
  package var derivation: Derivation?
  /// The name of the composite type, if `type` is `.composite` and the source names it.
  package var compositeName: String?
  /// The composite's elements in declared order; empty unless `type` is `.composite`.
  package var elements: [AttributeDescription]
  package var renamingIdentifier: String?
  package var versionHashModifier: String?
  package var userInfo: [String: UserInfoValue]
  /// What the bytes of the value are; `nil` for any bytes, and for other types.
  @Uncompared package var contents: AttributeContents? = nil
  /// The value that a migration gives old rows if the attribute is new; `nil` for the default value.
  ///
  /// Collections and structures have no default value in a model, but their columns can be filled. No version hash and no archive
  /// of a model has it.
  @Uncompared package var initialValue: AttributeValue? = nil
  /// The only texts that the attribute takes; `nil` for any text, and for other types. No version hash and no archive of a model has it.
  @Uncompared package var enumeration: EnumerationDescription? = nil
  /// The case of an enumeration to whose payload this element belongs; `nil` for other elements. No version hash and no archive of a model
  /// has it.
  @Uncompared package var payload: PayloadElement? = nil

  package init(
    name: String, type: AttributeType, isOptional: Bool = false, isTransient: Bool = false, isReadOnly: Bool = false,
    defaultValue: AttributeValue? = nil, valueClassName: String? = nil, valueTransformerName: String? = nil,
    allowsExternalBinaryDataStorage: Bool = false, preservesValueInHistoryOnDeletion: Bool = false,
    allowsCloudEncryption: Bool = false, isIndexed: Bool = false, isIndexedBySpotlight: Bool = false,
    isStoredInExternalRecord: Bool = false, usesScalarValueType: Bool = false,
    minimumValue: AttributeValue? = nil, maximumValue: AttributeValue? = nil, regularExpression: String? = nil,
    validationRules: [ValidationRule] = [], derivation: Derivation? = nil, compositeName: String? = nil,
    elements: [AttributeDescription] = [],
    renamingIdentifier: String? = nil, versionHashModifier: String? = nil, userInfo: [String: UserInfoValue] = [:]
  ) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.isTransient = isTransient
    self.isReadOnly = isReadOnly
    self.defaultValue = defaultValue
    self.valueClassName = valueClassName
    self.valueTransformerName = valueTransformerName
    self.allowsExternalBinaryDataStorage = allowsExternalBinaryDataStorage
    self.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
    self.allowsCloudEncryption = allowsCloudEncryption
    self.isIndexed = isIndexed
    self.isIndexedBySpotlight = isIndexedBySpotlight
    self.isStoredInExternalRecord = isStoredInExternalRecord
    self.usesScalarValueType = usesScalarValueType
    self.minimumValue = minimumValue
    self.maximumValue = maximumValue
    self.regularExpression = regularExpression
    self.validationRules = validationRules
    self.derivation = derivation
    self.compositeName = compositeName
    self.elements = elements
    self.renamingIdentifier = renamingIdentifier
    self.versionHashModifier = versionHashModifier
    self.userInfo = userInfo
  }

  /// A condition on the value, and the message for a value that fails it.
  package struct ValidationRule: Sendable, Hashable {
    /// The condition in `NSPredicate` format, where `SELF` is the value: `SELF CONTAINS "title"`.
    package var predicate: String
    /// The program's message; `nil` if the model keeps Core Data's error code.
    package var message: String?

    package init(predicate: String, message: String? = nil) {
      self.predicate = predicate
      self.message = message
    }
  }

  /// How the store computes a derived attribute (VH-7).
  package struct Derivation: Sendable, Hashable {
    /// The expression as the source wrote it, for example `pages.@count` or `now()`.
    package var expression: String
    /// The filtering predicate in `NSPredicate` format.
    package var filteringPredicate: String?

    package init(expression: String, filteringPredicate: String? = nil) {
      self.expression = expression
      self.filteringPredicate = filteringPredicate
    }
  }
}

/// `NSAttributeType`. Hashes and archives contain the raw values (VH-9).
package enum AttributeType: UInt32, Sendable, Hashable, CaseIterable {
  case undefined = 0
  case integer16 = 100
  case integer32 = 200
  case integer64 = 300
  case decimal = 400
  case double = 500
  case float = 600
  case string = 700
  case boolean = 800
  case date = 900
  case binary = 1000
  case uuid = 1100
  case uri = 1200
  case transformable = 1800
  case objectID = 2000
  case composite = 2100
}

/// A value that a model can state: a default, or a bound of a validation rule.
package enum AttributeValue: Sendable, Hashable {
  case integer(Int64)
  case decimal(Decimal)
  case double(Double)
  case boolean(Bool)
  case string(String)
  /// Seconds since 2001-01-01T00:00:00Z.
  case date(Double)
  case uuid(UUID)
  case uri(String)
  case binary(Data)
}

/// A value in a user-info dictionary: any property-list value.
package indirect enum UserInfoValue: Sendable, Hashable {
  case string(String)
  case integer(Int64)
  case real(Double)
  case boolean(Bool)
  /// Seconds since 2001-01-01T00:00:00Z.
  case date(Double)
  case data(Data)
  case array([UserInfoValue])
  case dictionary([String: UserInfoValue])
}
