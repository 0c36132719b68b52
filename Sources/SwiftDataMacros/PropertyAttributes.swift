import SwiftSyntax
import Synchronization

/// The attributes that `@Model` adds to the persisted properties of a class.
///
/// The compiler asks for each property alone. To read the whole class each time would take a time that grows with the square of the number
/// of properties, so the attributes of the latest class are kept.
struct PropertyAttributes {
  private let node: ClassDeclSyntax
  private let sources: [String: String]

  /// The kept class holds its source, so no other class has the same identity meanwhile.
  private static let latest = Mutex<PropertyAttributes?>(nil)

  /// - Parameter settings: those of the module, the only one that a process expands macros for.
  static func of(_ node: ClassDeclSyntax, in settings: BuildSettings) -> PropertyAttributes {
    if let known = latest.withLock({ $0 }), known.node.id == node.id { return known }
    let attributes = PropertyAttributes(ModelDeclaration(node, in: settings))
    latest.withLock { $0 = attributes }
    return attributes
  }

  private init(_ model: ModelDeclaration) {
    node = model.node
    sources = Dictionary(
      model.properties.map { ($0.name, PropertyAttributes.source($0, of: model)) },
      uniquingKeysWith: { first, _ in first })
  }

  private static func source(_ property: ModelProperty, of model: ModelDeclaration) -> String {
    if model.keepsBackingData {
      return property.isTransformable ? "@SwiftData._TransformablePersistedProperty" : "@SwiftData._PersistedProperty"
    }
    var arguments = "index: "
    arguments += model.hasInheritanceClause ? "Self._$base + \(property.index)" : "\(property.index)"
    if model.evaluatesLazily(property) { arguments += ", lazyDefault: true" }
    if property.storageName != ModelProperty.usualStorageName(of: property.name) {
      arguments += ", storage: \"\(property.storageName)\""
    }
    return "@SwiftData._PersistedProperty(\(arguments))"
  }

  /// The attribute of a property; `nil` if the class has no such persisted property.
  subscript(name: String) -> AttributeSyntax? { sources[name].map { AttributeSyntax(source: $0) } }
}
