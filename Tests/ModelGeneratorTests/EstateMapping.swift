import ManagedModel

/// A mapping model between the versions of the Estate bundle: filters, absent objects, links and rows that stay behind, arithmetic and
/// conversions. The generator's tests and those of its compiled output share it.
enum EstateMapping {
  static let mapping = MappingModel(
    name: "Estate1to2", source: .init(versionName: "Estate"), destination: .init(versionName: "Estate 2"),
    entityMappings: [
      entity(
        "Party", filter: "score > 0", ["name": "uppercase:($source.name)", "rate": "$source.rate"],
        corresponding: ["score"], links: ["guarded", "relics"]),
      entity("Company", corresponding: ["name", "score", "vat"], links: ["guarded", "relics"]),
      entity(
        "Person", ["nation": "$source.home.town.country.name", "neighbours": "$source.home.residents.@count"],
        corresponding: ["name", "score", "rate", "age"], links: ["guarded", "relics", "home"]),
      entity("House", filter: "floors > 0", corresponding: ["street"], links: ["guardian", "rooms"]),
      entity(
        "Room", filter: "house.floors > 0", ["volume": "$source.area * $source.height"],
        corresponding: ["area", "height"], links: ["house"]),
      entity("Town", filter: "TRUEPREDICATE", corresponding: ["title"], links: ["country"]),
      entity("Country", corresponding: ["name"]),
      entity(
        "Ledger",
        [
          "twice": "$source.count * 2", "half": "$source.ratio / 2", "rate": "$source.ratio",
          "share": "$source.count / $source.extra", "stamp": "$source.day", "sum": "$source.count + $source.extra",
          "flag": "$source.flag", "label": "$source.class",
        ], corresponding: ["class", "count"]),
    ])

  private static func entity(
    _ name: String, filter: String? = nil, _ expressions: KeyValuePairs<String, String> = [:],
    corresponding: [String] = [], links: [String] = []
  ) -> EntityMapping {
    EntityMapping(
      name: "\(name)To\(name)", sourceEntityName: name, destinationEntityName: name, sourceFilter: filter,
      attributeMappings: expressions.map { name, text in
        PropertyMapping(
          name: name, value: PredicateParser.expression(text).map { .expression($0) } ?? .unreadable(text))
      } + corresponding.map { PropertyMapping(name: $0, value: .corresponding) },
      relationshipMappings: links.map { PropertyMapping(name: $0, value: .corresponding) })
  }
}
