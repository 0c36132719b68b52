import ErrorReporting
import ManagedModel

extension SchemaTranslator {
  /// Adds the fetch requests and the configurations of the model to a version's namespace, and functions that make
  /// them.
  mutating func addWholeModel(to schema: inout SchemaDeclaration) {
    var members = NameClaims(reserved: names.typeNames.union(ReservedNames.schemaMembers))
    for request in graph.model.fetchRequestTemplates {
      let name = members.claim(SwiftIdentifier.lowercased(SwiftIdentifier.propertyName(request.name)))
      if let function = function(for: request, named: name) { schema.functions.append(function) }
      if dialect == .open { schema.fetchRequests.append(expression(for: request)) }
    }
    for configuration in graph.model.configurations {
      let word = SwiftIdentifier.lowercased(SwiftIdentifier.propertyName(configuration.name))
      let name = members.claim(word.hasSuffix("onfiguration") ? word : word + "Configuration")
      schema.functions.append(function(for: configuration, named: name))
      guard dialect == .open else { continue }
      let cloud = configuration.usedWithCloudKit ? [Argument("usesCloudKit", .boolean(true))] : []
      schema.configurations.append(
        .call(
          "Schema.Configuration",
          [
            Argument(nil, .string(configuration.name)),
            Argument("entities", .array(configuration.entityNames.map { .string($0) })),
          ] + cloud))
    }
  }

  // MARK: Fetched properties

  /// `@FetchedProperty(…) var recent: [Book]`; `nil` if the source is for Apple's API.
  mutating func fetchedProperty(
    _ property: FetchedPropertyDescription, of entity: String
  ) -> PropertyDeclaration? {
    let request = property.fetchRequest
    guard graph.entity(request.entityName) != nil else {
      note(
        .note, entity, property.name,
        "the fetched property, whose entity \(quoted(request.entityName)) is not in the model",
        remedy: "correct it in the model")
      return nil
    }
    guard maySpell(.note, entity, property.name, "the fetched property") else { return nil }
    let spelled = names.property(property.name, of: entity)
    var arguments = self.arguments(of: request)
    if !property.isOptional { arguments.append(Argument("isOptional", .boolean(false))) }
    if spelled != property.name { arguments.append(Argument("name", .string(property.name))) }
    // Xcode gives this name to the request of every fetched property.
    if request.name != "fetchedPropertyFetchRequest" {
      arguments.append(Argument("requestName", .string(request.name)))
    }
    if !property.userInfo.isEmpty {
      usesFoundation(for: property.userInfo)
      arguments.append(Argument("userInfo", UserInfoExpression.expression(for: property.userInfo)))
    }
    return PropertyDeclaration(
      attribute: AttributeDeclaration(name: "FetchedProperty", arguments: arguments), name: spelled,
      type: TypeReference(name: names.type(of: request.entityName), isArray: true))
  }

  private func expression(for request: FetchRequestDescription) -> Expression {
    .call(
      "Schema.FetchRequest",
      [Argument(nil, .string(request.name)), Argument("entity", .string(request.entityName))]
        + arguments(of: request))
  }

  /// The arguments for the settings that differ from a new request.
  private func arguments(of request: FetchRequestDescription) -> [Argument] {
    var arguments: [Argument] = []
    if let predicate = nonEmpty(request.predicateFormat) { arguments.append(Argument("predicate", .string(predicate))) }
    if !request.sortDescriptors.isEmpty {
      arguments.append(Argument("sortBy", .array(request.sortDescriptors.map(Self.expression))))
    }
    for (label, number) in [("limit", request.fetchLimit), ("batchSize", request.fetchBatchSize)] where number != 0 {
      arguments.append(Argument(label, .integer(Int64(number))))
    }
    let flags = [
      ("includesSubentities", request.includesSubentities, true),
      ("includesPropertyValues", request.includesPropertyValues, true),
      ("includesPendingChanges", request.includesPendingChanges, true),
      ("returnsObjectsAsFaults", request.returnsObjectsAsFaults, true),
      ("returnsDistinctResults", request.returnsDistinctResults, false),
    ]
    for (label, value, usual) in flags where value != usual { arguments.append(Argument(label, .boolean(value))) }
    if let word = Self.resultWords[request.resultType] { arguments.append(Argument("result", .member(word))) }
    return arguments
  }

  private static let resultWords = [1: "identifiers", 2: "dictionaries", 4: "count"]

  private static func expression(for sorting: FetchRequestDescription.Sorting) -> Expression {
    let selector = sorting.selector == "compare:" ? [] : [Argument("selector", .string(sorting.selector))]
    return .call(
      sorting.isAscending ? ".ascending" : ".descending", [Argument(nil, .string(sorting.keyPath))] + selector)
  }

  // MARK: Functions

  /// `static func booksByTitle(title: String) -> FetchDescriptor<Book>`.
  private mutating func function(for request: FetchRequestDescription, named name: String) -> FunctionDeclaration? {
    let subject = "the fetch request template \(quoted(request.name))"
    guard graph.entity(request.entityName) != nil else {
      note(
        at: .fetchRequest(request.name), "\(subject), whose entity \(quoted(request.entityName)) is not in the model",
        remedy: "correct it in the model")
      return nil
    }
    if dialect == .apple {
      note(
        at: .fetchRequest(request.name), "\(subject) as a part of the model, which Apple's API cannot express",
        remedy: "call \(name) for its descriptor")
    }
    let type = names.type(of: request.entityName)
    var function = FunctionDeclaration(
      comments: ["The fetch request template \(quoted(request.name))."], name: name, parameters: [],
      result: "FetchDescriptor<\(ExpressionRenderer.identifier(type))>", body: [])
    var argument = ""
    if let format = nonEmpty(request.predicateFormat) {
      let source = PredicateSource(graph: graph, names: names)
      if let translated = source.translate(format, entity: request.entityName) {
        function.parameters = translated.parameters
        for parameter in translated.parameters { _ = uses(parameter.type) }
        function.body += translated.captures
        argument = "predicate: #Predicate { \(translated.condition) }"
      } else if dialect == .open, let tree = PredicateParser.predicate(format) {
        let variables = PredicateSource.variables(of: tree)
        function.parameters = variables.map {
          .init(name: $0.spelled, type: TypeReference(name: "Any", isOptional: true))
        }
        function.isThrowing = true
        let values = variables.map {
          "\(ExpressionRenderer.string($0.name)): \(ExpressionRenderer.identifier($0.spelled))"
        }
        argument = "format: \(ExpressionRenderer.string(format))"
        if !values.isEmpty { argument += ", [\(values.joined(separator: ", "))]" }
      } else {
        note(
          at: .fetchRequest(request.name), "\(subject), whose predicate \(quoted(format)) is not understood",
          remedy: "write it as a FetchDescriptor")
        return nil
      }
    }
    function.body += body(of: request, argument: argument, isThrowing: function.isThrowing, subject: subject)
    noteResult(of: request, in: &function, subject)
    return function
  }

  private mutating func body(
    of request: FetchRequestDescription, argument: String, isThrowing: Bool, subject: String
  ) -> [String] {
    let descriptor = "\(isThrowing ? "try " : "")FetchDescriptor(\(argument))"
    var settings: [String] = []
    if request.fetchLimit > 0 { settings.append("descriptor.fetchLimit = \(request.fetchLimit)") }
    if !request.includesPendingChanges { settings.append("descriptor.includePendingChanges = false") }
    if !request.sortDescriptors.isEmpty {
      var sorts: [String] = []
      for sorting in request.sortDescriptors {
        guard let path = PredicateSource(graph: graph, names: names).sortPath(sorting.keyPath, request.entityName)
        else {
          note(
            at: .fetchRequest(request.name), "the order of \(subject) by \(quoted(sorting.keyPath))",
            remedy: "sort the result")
          continue
        }
        sorts.append("SortDescriptor(\(path)\(sorting.isAscending ? "" : ", order: .reverse"))")
      }
      if !sorts.isEmpty { settings.append("descriptor.sortBy = [\(sorts.joined(separator: ", "))]") }
    }
    if settings.isEmpty { return ["return " + descriptor] }
    let type = "FetchDescriptor<\(ExpressionRenderer.identifier(names.type(of: request.entityName)))>"
    let made = descriptor.replacing("FetchDescriptor(", with: "\(type)(", maxReplacements: 1)
    return ["var descriptor = \(made)"] + settings + ["return descriptor"]
  }

  private mutating func noteResult(
    of request: FetchRequestDescription, in function: inout FunctionDeclaration, _ subject: String
  ) {
    switch request.resultType {
    case 1: function.comments.append("Its result is identifiers: give it to `fetchIdentifiers(_:)`.")
    case 4: function.comments.append("Its result is a number: give it to `fetchCount(_:)`.")
    case 2:
      note(at: .fetchRequest(request.name), "that \(subject) gives dictionaries", remedy: "map the objects it gives")
    default: break
    }
    if !request.includesSubentities, !graph.subentities(of: request.entityName).isEmpty {
      note(
        at: .fetchRequest(request.name), "that \(subject) leaves out subentities",
        remedy: "filter the objects it gives by their class")
    }
  }

  /// `static func cloudConfiguration(url: URL) -> ModelConfiguration`.
  private mutating func function(
    for configuration: ConfigurationDescription, named name: String
  ) -> FunctionDeclaration {
    let url = uses(TypeReference(name: "URL", module: "Foundation"))
    if dialect == .apple {
      note(
        at: .configuration(configuration.name),
        "the configuration \(quoted(configuration.name)) as a part of the model, which Apple's API cannot express",
        remedy: "call \(name) for its store's configuration")
    }
    let types = configuration.entityNames.filter { graph.entity($0) != nil }
      .map { "\(ExpressionRenderer.identifier(names.type(of: $0))).self" }
    let cloud = configuration.usedWithCloudKit ? ".automatic" : ".none"
    let arguments = [
      ExpressionRenderer.string(configuration.name), "schema: Schema([\(types.joined(separator: ", "))])", "url: url",
      "cloudKitDatabase: \(cloud)",
    ]
    let line = "  \(arguments.joined(separator: ", "))"
    // The four columns are the indentation of a function's body; one is the parenthesis.
    let body =
      line.count + 4 < SourcePrinter.maximumWidth
      ? [line + ")"] : arguments.dropLast().map { "  \($0)," } + ["  \(arguments[3])", ")"]
    return FunctionDeclaration(
      comments: [
        "The configuration \(quoted(configuration.name)): a store for \(types.count == 1 ? "its class" : "its classes")."
      ],
      name: name,
      parameters: [.init(name: "url", type: url)],
      result: "ModelConfiguration",
      body: ["ModelConfiguration("] + body)
  }
}
