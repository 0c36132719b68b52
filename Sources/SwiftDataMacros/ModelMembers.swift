import SwiftSyntax
import SwiftSyntaxBuilder

/// The members that `@Model` adds to a class.
struct ModelMembers {
  let model: ModelDeclaration
  /// Whether the superclass, if there is one, is no model.
  let isRoot: Bool
  /// Whether the class has the initializers of its superclass. A class that declares one itself inherits none.
  let inheritsInitializers: Bool
  let entityArguments: EntityArguments

  var all: [DeclSyntax] {
    if model.keepsBackingData { return backed }
    var members: [String] = []
    if isRoot { members.append(state) }
    if model.hasInheritanceClause { members.append(base) }
    members.append(propertyCount)
    if !inheritsInitializers { members.append(blankInitializer) }
    members += [read, write, visit, ownMetadata, schemaMetadata, entity, access, withMutation]
    return members.map { DeclSyntax(source: $0) }
  }

  // MARK: Modifiers

  private var accessModifier: String? {
    model.node.modifiers.lazy.map(\.name.text).first { ["open", "public", "package"].contains($0) }
  }

  /// The access of a member that no subclass overrides.
  var visible: String { accessModifier.map { $0 == "open" ? "public " : "\($0) " } ?? "" }

  /// The access of a member that subclasses override.
  private var overridable: String { (accessModifier.map { "\($0) " } ?? "") + (isRoot ? "" : "override ") }

  private var isFinal: Bool { model.node.modifiers.contains { $0.name.tokenKind == .keyword(.final) } }

  private var typeLevel: String { isRoot && isFinal ? "static" : "class" }

  private var superclass: String {
    model.node.inheritanceClause?.inheritedTypes.first?.type.trimmedDescription ?? "AnyObject"
  }

  private var indexOffset: String { model.hasInheritanceClause ? "property - Self._$base" : "property" }

  private func index(_ property: ModelProperty) -> String {
    model.hasInheritanceClause && !model.keepsBackingData ? "Self._$base + \(property.index)" : "\(property.index)"
  }

  // MARK: Members

  private var state: String {
    "@exclusivity(unchecked) \(visible)nonisolated(unsafe) var _$state = SwiftData._ModelState()"
  }

  private var base: String {
    "private nonisolated static var _$base: Int { \(isRoot ? "0" : "\(superclass)._$propertyCount") }"
  }

  private var propertyCount: String {
    let count = isRoot ? "\(model.propertyCount)" : "super._$propertyCount + \(model.propertyCount)"
    return "\(overridable)nonisolated \(typeLevel) var _$propertyCount: Int { \(count) }"
  }

  /// Disfavored, so that `Book.init` and the compiler's messages about a wrong call mean the class's own initializers.
  private var blankInitializer: String {
    let body = isRoot ? "_$state._take(_$blank)" : "super.init(_$blank: _$blank)"
    return """
      @_disfavoredOverload \(visible)nonisolated required init(_$blank: SwiftData._ModelPlace) { \(body) }
      """
  }

  private var read: String {
    var lines = isRoot ? [] : ["super._$read(from: &row)"]
    lines += model.properties.filter { !$0.isEphemeral }
      .map { $0.conditionally("\($0.storageName)._read(from: &row\($0.opaqueArgument))") }
    return """
      \(overridable)nonisolated func _$read(from row: inout SwiftData._RowReader) {
      \(lines.joined(separator: "\n"))
      }
      """
  }

  private var write: String {
    let cases = cases(model.properties.filter { !$0.isEphemeral }) { property in
      "try \(property.storageName)._write(of: self, at: property, into: &row\(property.opaqueArgument))"
    }
    return """
      \(overridable)nonisolated func _$write(_ property: Int, into row: inout SwiftData._RowWriter) throws {
      switch \(indexOffset) {
      \(cases)
      default: \(isRoot ? "break" : "try super._$write(property, into: &row)")
      }
      }
      """
  }

  private var visit: String {
    let cases = cases(model.properties) { "visitor.visit(&\($0.storageName))" }
    return """
      \(overridable)nonisolated func _$visit<Visitor: SwiftData._PropertyVisitor>(_ property: Int, _ visitor: inout Visitor) {
      switch \(indexOffset) {
      \(cases)
      default: \(isRoot ? "break" : "super._$visit(property, &visitor)")
      }
      }
      """
  }

  private func cases(_ properties: [ModelProperty], _ body: (ModelProperty) -> String) -> String {
    properties.map { $0.conditionally("case \($0.index): \(body($0))") }.joined(separator: "\n")
  }

  var entity: String {
    var arguments = isRoot ? [] : ["superclass: \(superclass).self"]
    if !model.keepsBackingData, model.properties.contains(where: model.evaluatesLazily) {
      arguments.append("hasLazyDefaults: true")
    }
    arguments += entityArguments.source
    return """
      \(overridable)nonisolated \(typeLevel) var _$entity: SwiftData._EntityOptions {
      SwiftData._EntityOptions(\(arguments.joined(separator: ", ")))
      }
      """
  }

  /// Describes the class's own properties, on the global actor that isolates them if there is one: key paths of
  /// isolated properties can be formed there only.
  var ownMetadata: String {
    var lines: [String] = []
    for property in model.properties {
      let annotation = property.annotation.map { annotation in
        "SwiftData.Schema.\(annotation.typeName)(\(annotation.arguments?.trimmedDescription ?? ""))"
      }
      lines.append(
        property.conditionally(
          """
          metadata.append(SwiftData.Schema.PropertyMetadata(_index: \(index(property)), name: "\(property.name)", \
          keypath: \\\(model.name).\(property.spelling), \
          defaultValue: \(property.defaultValue), metadata: \(annotation ?? "nil")))
          """))
    }
    for (macro, conditions) in model.constraints {
      let line = """
        metadata.append(SwiftData.Schema.PropertyMetadata(_constraint: \
        SwiftData.Schema.\(macro.macroName.text)<\(model.name)>(\(macro.arguments.trimmedDescription))))
        """
      lines.append(line.under(conditions))
    }
    for property in model.fetchedProperties {
      let arguments = property.node.arguments?.as(LabeledExprListSyntax.self)?.trimmedDescription ?? ""
      let line = """
        metadata.append(SwiftData.Schema.PropertyMetadata(_fetched: SwiftData.Schema.FetchedProperty(\
        _property: "\(property.name)", of: \(property.type).self\(arguments.isEmpty ? "" : ", \(arguments)")), \
        named: "\(property.name)"))
        """
      lines.append(line.under(property.conditions))
    }
    let binding = lines.isEmpty ? "let" : "var"
    let actor = model.mayBeIsolated ? nil : model.propertyActor.map { "\($0.trimmed) " }
    return """
      \(deprecation)\(actor ?? "")private static func _$ownMetadata() -> [SwiftData.Schema.PropertyMetadata] {
      \(binding) metadata: [SwiftData.Schema.PropertyMetadata] = []
      \(lines.joined(separator: "\n"))
      return metadata
      }
      """
  }

  var schemaMetadata: String {
    let inherited = isRoot ? "" : "SwiftData._inheritedMetadata(of: \(superclass).self) + "
    return """
      \(deprecation)\(overridable)nonisolated \(typeLevel) var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
      \(inherited)SwiftData._metadata(from: _$ownMetadata)
      }
      """
  }

  /// Marks a member that names deprecated properties, so that naming them does not warn; its callers are generic.
  private var deprecation: String { model.hasDeprecatedProperties ? "@available(*, deprecated) " : "" }

  var access: String {
    """
    internal nonisolated func access<_M>(keyPath: KeyPath<\(model.name), _M>) {
    SwiftData._trackRead(of: self, keyPath)
    }
    """
  }

  var withMutation: String {
    """
    internal nonisolated func withMutation<_M, _MR>(keyPath: KeyPath<\(model.name), _M>, _ mutation: () throws -> _MR) rethrows -> _MR {
    guard let registrar = _$state._registrar else { return try mutation() }
    return try registrar.withMutation(of: self, keyPath: keyPath, mutation)
    }
    """
  }
}

extension ModelProperty {
  /// The initial value as source; typed, so that it means the same where it stands alone.
  fileprivate var defaultValue: String {
    guard let initialValue else { return "nil" }
    guard let type else { return "\(initialValue)" }
    if initialValue.is(NilLiteralExprSyntax.self) { return "nil" }
    return "(\(initialValue)) as \(type.declared)"
  }
}
