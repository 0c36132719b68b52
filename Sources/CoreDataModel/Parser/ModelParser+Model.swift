import ErrorReporting
import ManagedModel

extension ModelParser {
  /// Reads the `model` element: entities, composites, configurations and fetch requests in declared order.
  mutating func model(_ root: XMLElement) -> ModelDescription {
    checkDocument(root)
    let composites = compositeTypes(root)
    var model = ModelDescription()
    model.composites = composites.descriptions
    for element in root.children {
      switch element.name {
      case "entity":
        if let entity = entity(element, composites: composites) { model.entities.append(entity) }
      case "configuration":
        if let configuration = configuration(element) { model.configurations.append(configuration) }
      case "fetchRequest":
        guard let request = fetchRequest(element) else { continue }
        locations.record(.fetchRequest, request.name, line: element.line)
        model.fetchRequestTemplates.append(request)
      default: break
      }
    }
    model.versionIdentifiers = text("userDefinedModelVersionIdentifier", of: root).map { [$0] } ?? []
    model.usedWithCloudKit = flag("usedWithCloudKit", of: root)
    return model
  }

  private mutating func checkDocument(_ root: XMLElement) {
    if let type = root[attribute: "type"], type != "com.apple.IDECoreDataModeler.DataModel" {
      report(
        .warning, root.line, "the document's type is \(quoted(type)), not that of a Core Data model",
        "check that the file is a model; it was read as one")
    }
    if let version = root[attribute: "documentVersion"], version != "1.0" {
      report(
        .warning, root.line, "the document's version is \(quoted(version)); 1.0 is known",
        "compare what was read with the model in Xcode")
    }
  }
}
