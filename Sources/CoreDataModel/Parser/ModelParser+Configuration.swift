import ErrorReporting
import ManagedModel

extension ModelParser {
  /// Reads a `configuration` element: a named subset of the entities.
  mutating func configuration(_ element: XMLElement) -> ConfigurationDescription? {
    guard let name = name(of: element) else { return nil }
    var configuration = ConfigurationDescription(name: name, entityNames: [])
    configuration.usedWithCloudKit = flag("usedWithCloudKit", of: element)
    locations.record(.configuration, name, line: element.line)
    var members: Set<String> = []
    for member in element.children(named: "memberEntity") {
      if let entity = self.name(of: member, in: "configuration \(quoted(name))"),
        members.insert(entity).inserted
      {
        configuration.entityNames.append(entity)
      }
    }
    return configuration
  }
}
