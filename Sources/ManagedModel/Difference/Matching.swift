/// Pairs of things of two models that are one thing under two names.
///
/// The identifier of a thing is its renaming identifier, or its name without one. A thing of the destination is matched
/// with the thing of the source that has its identifier, else with the one whose name is its renaming identifier.
struct Matching {
  /// Destination name → source name.
  let sources: [String: String]
  /// Source name → destination name.
  let destinations: [String: String]

  struct Candidate {
    let name: String
    let renamingIdentifier: String?

    var identifier: String { renamingIdentifier ?? name }
  }

  init(from source: [Candidate], to destination: [Candidate]) {
    var sources: [String: String] = [:]
    var destinations: [String: String] = [:]
    let byIdentifier = Dictionary(source.map { ($0.identifier, $0.name) }, uniquingKeysWith: { first, _ in first })
    let names = Set(source.map(\.name))
    for candidate in destination where sources[candidate.name] == nil {
      guard let match = byIdentifier[candidate.identifier], destinations[match] == nil else { continue }
      sources[candidate.name] = match
      destinations[match] = candidate.name
    }
    for candidate in destination where sources[candidate.name] == nil {
      let match = candidate.identifier
      guard names.contains(match), destinations[match] == nil else { continue }
      sources[candidate.name] = match
      destinations[match] = candidate.name
    }
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
