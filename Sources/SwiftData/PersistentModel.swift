public import Observation

/// A class whose instances a model context keeps; adopted by writing `@Model` on the class.
///
///     @Model final class Book {
///       var title: String
///       var author: Author?
///       init(title: String) { self.title = title }
///     }
///
/// The macro writes the underscored requirements; do not call or implement them yourself. A class may contain the expansion
/// of Apple's macro instead: `init(backingData:)`, `persistentBackingData` and `schemaMetadata`.
/// Apple: `PersistentModel`.
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
  /// The class itself. Apple: `PersistentModel.Root`.
  associatedtype Root: PersistentModel = Self

  /// Makes an object with the values of backing data.
  init(backingData: any BackingData<Self>)

  /// The object's values by key path.
  var persistentBackingData: any BackingData<Self> { get set }

  /// The persisted properties with their key paths, defaults and annotations, inherited ones first.
  static var schemaMetadata: [Schema.PropertyMetadata] { get }

  /// The arguments of `@Model(…)`.
  static var _$entity: _EntityOptions { get }

  /// The object's state in its context.
  var _$state: _ModelState { get set }

  /// Makes an object without values, for a row to fill.
  init(_$blank: _ModelPlace)

  /// Reads all stored properties of a row, in the order of their indexes.
  func _$read(from row: inout _RowReader)

  /// Writes the stored value of one property.
  func _$write(_ property: Int, into row: inout _RowWriter) throws

  /// Passes the storage of one property to a visitor; does nothing for an index that the class does not have.
  func _$visit<Visitor: _PropertyVisitor>(_ property: Int, _ visitor: inout Visitor)

  /// Backing data that a program wrote, and that has the object's values; `nil` for all other objects.
  var _$foreignBackingData: (any BackingData<Self>)? { get }
}

/// Marks the root class of a model hierarchy.
///
/// It lets the macro distinguish a superclass that is a model from a protocol that refines ``PersistentModel``.
public protocol _PersistentModelRoot: AnyObject {}

/// The argument of the initializer that makes an object without values: the object's place in a context.
///
/// Only the framework makes these objects.
public struct _ModelPlace {
  /// Not retained: the caller that makes the object keeps its context alive.
  unowned(unsafe) var owner: ContextCore?
  var entity: Int32 = 0
  var status: ModelStatus = .detached
  var key: Int64 = 0
  var version: Int64 = 0
}

/// The arguments of `@Model(…)`, and the class's superclass if that is a model.
public struct _EntityOptions {
  let superclass: (any PersistentModel.Type)?
  let isAbstract: Bool
  let name: String?
  let originalName: String?
  let hashModifier: String?
  let className: String?
  let spotlightDisplayName: String?
  let userInfo: [String: Schema.UserInfoValue]
  /// Whether an object made for a row must say so, since initial values would be evaluated otherwise.
  let hasLazyDefaults: Bool

  /// Written by `@Model`.
  public init(
    superclass: (any PersistentModel.Type)? = nil, hasLazyDefaults: Bool = false, isAbstract: Bool = false,
    hashModifier: String? = nil, originalName: String? = nil, entityName: String? = nil, className: String? = nil,
    spotlightDisplayName: String? = nil, userInfo: [String: Schema.UserInfoValue] = [:]
  ) {
    self.className = className
    self.spotlightDisplayName = spotlightDisplayName
    self.superclass = superclass
    self.hasLazyDefaults = hasLazyDefaults || (superclass?._$entity.hasLazyDefaults ?? false)
    self.isAbstract = isAbstract
    self.hashModifier = hashModifier
    self.originalName = originalName
    self.name = entityName
    self.userInfo = userInfo
  }

  /// The entity's name; usable while the class's properties are still being read.
  static func entityName(of type: any PersistentModel.Type) -> String {
    type._$entity.name ?? String(describing: type)
  }
}
