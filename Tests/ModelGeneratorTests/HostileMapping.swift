import ManagedModel

/// Two versions of a model and a mapping model between them, with names and texts that are no Swift, or other Swift than they should be.
/// `GeneratedModelsTests` compiles what becomes of them.
enum HostileMapping {
  /// Quotation marks that are no characters of their own: each is one grapheme cluster with the scalar beside it.
  static let quotation = "\"\u{301} \u{600}\" \u{D4E}\" \"\u{1F3FB} \\(1) \\\u{301} \r\n \"\"\" return "

  /// A name of quotation marks and brackets.
  static let name = "\" \\(1) } \n return"

  /// A text that does not fit a line, with places at which a line of source may be broken.
  static let long = String(repeating: "\u{1F3FB} x: y = z, ", count: 12)

  private static let words = [
    "class", "in", "self", "Type", "left", "right", "type", name, "x(){}}; enum Evil{", "$0", "`", "init",
  ]

  private static func attribute(
    _ name: String, _ type: AttributeType = .string, isOptional: Bool = true, default value: AttributeValue? = nil
  ) -> PropertyDescription {
    .attribute(AttributeDescription(name: name, type: type, isOptional: isOptional, defaultValue: value))
  }

  private static func link(
    _ name: String, _ destination: String, _ inverse: String, toMany: Bool = false, isOptional: Bool = true,
    rule: RelationshipDescription.DeleteRule = .nullify
  ) -> PropertyDescription {
    .relationship(
      RelationshipDescription(
        name: name, destinationEntityName: destination, inverseName: inverse, inverseEntityName: destination,
        isOptional: isOptional, maximumCount: toMany ? 0 : 1, deleteRule: rule))
  }

  private static func place(_ elements: [(String, AttributeType, Bool)], name: String, isOptional: Bool)
    -> PropertyDescription
  {
    .attribute(
      AttributeDescription(
        name: name, type: .composite, isOptional: isOptional, compositeName: "Spot",
        elements: elements.map { AttributeDescription(name: $0.0, type: $0.1, isOptional: $0.2) }))
  }

  private static func model(_ version: Int) -> ModelDescription {
    let isNew = version == 2
    let elements: [(String, AttributeType, Bool)] =
      [("class", .string, isNew), ("north", .double, false)] + (isNew ? [] : [("east", .double, true)])
    return ModelDescription(
      entities: [
        EntityDescription(
          name: "x(){}}; enum Evil{",
          properties: words.map { attribute($0) } + [
            attribute("text", default: .string(quotation)), attribute("long", default: .string(long)),
            attribute("stated", default: .string(quotation)),
            link("class of", "struct", "in"),
          ]),
        EntityDescription(
          name: "struct",
          properties: [
            link("in", "x(){}}; enum Evil{", "class of", toMany: true, rule: .cascade),
            link("owner", "Thread", "classes", isOptional: false, rule: .cascade),
          ]),
        EntityDescription(
          name: "Thread",
          properties: [
            attribute("key", isOptional: false), link("classes", "struct", "owner", toMany: true, rule: .deny),
            place(elements, name: "place", isOptional: true), place(elements, name: "seat", isOptional: false),
            place(elements, name: "rest", isOptional: true),
          ] + (isNew ? [attribute("row", .date, isOptional: false, default: .date(0))] : [])),
        EntityDescription(
          name: "Sub Type", superentityName: "Thread",
          properties: [
            link("super", "Type \(name)", "subs", isOptional: false, rule: .deny)
          ]),
        EntityDescription(
          name: "Type \(name)", properties: [link("subs", "Sub Type", "super", toMany: true)]),
        EntityDescription(name: "context", isAbstract: true, properties: [attribute("value")]),
        EntityDescription(name: "Timer", superentityName: "context", properties: [attribute("object")]),
        EntityDescription(
          name: "computed",
          properties: [
            attribute("value", isOptional: !isNew),
            attribute(isNew ? "count" : "Count", .integer16, isOptional: false, default: .integer(0)),
          ]),
        EntityDescription(
          name: isNew ? "new" : "old", properties: [attribute("value", .date, isOptional: false)]),
      ],
      configurations: [ConfigurationDescription(name: long, entityNames: ["Timer", "struct"])],
      fetchRequestTemplates: [
        FetchRequestDescription(
          name: "return", entityName: "Timer",
          predicateFormat: PredicateTree.comparison(
            .keyPath(of: .evaluatedObject, "object"), .equal, .string("return home, return "), .direct, []
          ).format),
        FetchRequestDescription(name: "all", entityName: "Timer", predicateFormat: "TRUEPREDICATE"),
        FetchRequestDescription(name: "none", entityName: "Timer", predicateFormat: "FALSEPREDICATE"),
      ])
  }

  static let versions: [(name: String, model: ModelDescription)] = [
    ("Hostile \(quotation)", model(1)), ("Hostile 2", model(2)),
  ]

  private static func mapping(
    _ name: String, _ source: String, _ destination: String? = nil, filter: String? = nil,
    _ attributes: KeyValuePairs<String, ExpressionTree> = [:], links: [String] = [], policy: String? = nil
  ) -> EntityMapping {
    EntityMapping(
      name: name, sourceEntityName: source, destinationEntityName: destination, sourceFilter: filter,
      attributeMappings: attributes.map { PropertyMapping(name: $0, value: .expression($1)) },
      relationshipMappings: links.map { PropertyMapping(name: $0, value: .corresponding) }, policyClassName: policy,
      userInfo: policy == nil ? [:] : [quotation: .string(quotation), "\n}": .string("\n}")])
  }

  private static func value(_ path: String) -> ExpressionTree { .keyPath(of: .variable("source"), path) }

  static let mapping = MappingModel(
    name: "Hostile \(quotation)", source: .init(versionName: versions[0].name),
    destination: .init(versionName: versions[1].name),
    entityMappings: [
      mapping(
        "class", "x(){}}; enum Evil{", "x(){}}; enum Evil{",
        filter: PredicateTree.comparison(
          .keyPath(of: .evaluatedObject, "text"), .notEqual, .string("\u{600}\"\u{301}"), .direct, []
        ).format,
        [
          "class": .string(quotation), "in": value("class"), "self": .function("uppercase:", [value("in")]),
          "Type": .function(quotation, [.string(quotation)]), "x(){}}; enum Evil{": .function("f", []),
          "text": .string("kept"),
        ], links: ["class of"], policy: "Foo() { } ; func evil"),
      mapping("type", "struct", "struct", filter: "in.@count > 3 AND SELF MATCHES 'x'", policy: "a.b.class"),
      mapping(
        "key", "Thread", "Thread", filter: "TRUEPREDICATE",
        ["key": value("key"), "place": value("place"), "seat": value("seat"), "rest": value("seat")], policy: "computed"
      ),
      mapping(
        "left", "Thread", "Thread",
        [
          "seat": value("seat"), "place": value("seat"), "rest": value("place"), "key": value("place.class"),
        ], policy: "migrateV1toV2"),
      mapping("row", "context", "context", ["value": .string("x")]),
      mapping(
        "Set", "Timer", "Timer", filter: "1 == 1 OR FALSEPREDICATE", ["object": value("value")], policy: quotation),
      mapping("object", "Timer", nil, filter: "FALSEPREDICATE", policy: "context"),
      mapping(
        "computed", "computed", "computed",
        ["value": value("value"), "count": .function("add:to:", [value("Count"), .integer(1)])]),
      mapping("rowKey", "old", "new", ["value": value("value")], policy: ""),
      mapping("", "old", "new", [:]), mapping("\(quotation)", "computed", "new", ["value": .date(0)]),
    ])
}
