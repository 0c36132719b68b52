/// The pairs of entities, or of properties, that correspond in two models.
///
/// The identifier of an item is its renaming identifier; without one, its name.
/// A destination item matches the first of these source items: the item with the same identifier, the item whose name
/// is that identifier, the item with the same name.
/// So an item with a renaming identifier that leads nowhere does not count as new. Renamed items choose before the
/// rest.
struct Matching {
  /// Destination name → source name.
  let sources: [String: String]
  /// Source name → destination name.
  let destinations: [String: String]

  struct Candidate {
    let name: String
    let renamingIdentifier: String?

    var identifier: String { renamingIdentifier ?? name }
    var isRenamed: Bool { identifier != name }
  }

  init(from source: [Candidate], to destination: [Candidate]) {
    var sources: [String: String] = [:]
    var destinations: [String: String] = [:]
    func match(_ candidates: [Candidate], _ find: (Candidate) -> String?) {
      for candidate in candidates where sources[candidate.name] == nil {
        guard let name = find(candidate), destinations[name] == nil else { continue }
        sources[candidate.name] = name
        destinations[name] = candidate.name
      }
    }

    let byIdentifier = Dictionary(source.map { ($0.identifier, $0.name) }, uniquingKeysWith: { first, _ in first })
    let names = Set(source.map(\.name))
    match(destination.filter(\.isRenamed)) { byIdentifier[$0.identifier] }
    match(destination) { byIdentifier[$0.identifier] }
    match(destination) { names.contains($0.identifier) ? $0.identifier : nil }
    match(destination) { names.contains($0.name) ? $0.name : nil }
    self.sources = sources
    self.destinations = destinations
  }
}

extension Matching {
  init(from source: ModelDescription, to destination: ModelDescription) {
    self.init(from: source.entities.map(Candidate.init), to: destination.entities.map(Candidate.init))
  }

  init(from source: [PropertyDescription], to destination: [PropertyDescription]) {
    self.init(from: source.map(Candidate.init), to: destination.map(Candidate.init))
  }
}

extension Matching.Candidate {
  fileprivate init(_ entity: EntityDescription) {
    self.init(name: entity.name, renamingIdentifier: entity.renamingIdentifier)
  }

  fileprivate init(_ property: PropertyDescription) {
    self.init(name: property.name, renamingIdentifier: property.renamingIdentifier)
  }
}
