/// The pairs of entities, or of properties, that correspond in two models.
///
/// The identifier of an item is its renaming identifier; without one, its name.
///
/// - A renamed item of the destination matches the source item with the same identifier; without one, the source item whose
///   name is that identifier. Renamed items choose first.
/// - Another item matches the source item of its own name. So does an item whose renaming identifier leads nowhere: it is not
///   new.
/// - If no source item has that name, the item matches a source item that was renamed from that name: it has its former name again.
///
/// Several source items have one identifier if a new item has got the former name of a renamed one.
struct Matching {
  /// Destination name → source name.
  let sources: [String: String]
  /// Source name → destination name.
  let destinations: [String: String]

  struct Candidate: Hashable {
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

    let byIdentifier = Dictionary(grouping: source, by: \.identifier)
    let names = Set(source.map(\.name))
    let newNames = Set(destination.map(\.name))
    func withIdentifier(of candidate: Candidate) -> String? {
      let items = byIdentifier[candidate.identifier, default: []].map(\.name).filter { destinations[$0] == nil }
      // An item whose name stays is more likely the destination item of that name.
      return items.first { !newNames.contains($0) } ?? items.first
    }
    let renamed = destination.filter(\.isRenamed)
    // Items that were renamed in an earlier version.
    let unchanged = Set(source).intersection(renamed)
    match(renamed.filter(unchanged.contains)) { $0.name }
    match(renamed, withIdentifier)
    match(renamed) { names.contains($0.identifier) ? $0.identifier : nil }
    match(destination) { names.contains($0.name) ? $0.name : nil }
    match(destination, withIdentifier)
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
