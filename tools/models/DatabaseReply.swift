package import Foundation

/// The question that `generate-models` writes to the standard input of `postgresql-model`, where no list of processes shows a password.
package struct DatabaseRequest: Codable, Sendable {
  package let address: String
  package let schema: String

  package init(address: String, schema: String) {
    self.address = address
    self.schema = schema
  }
}

/// The answer that `postgresql-model` writes to its standard output: a model, or the reason why there is none.
package enum DatabaseReply: Codable, Sendable {
  case model(Model)
  case failure(problem: String, remedy: String?)

  package struct Model: Codable, Sendable {
    /// The database, the host and the user, without a password.
    package let place: String
    package let name: String
    /// The arguments that name the database on a command line, without host, user and password.
    package let source: String
    /// The oldest first.
    package let versions: [Version]
    package let notes: [Note]

    package init(place: String, name: String, source: String, versions: [Version], notes: [Note]) {
      self.place = place
      self.name = name
      self.source = source
      self.versions = versions
      self.notes = notes
    }
  }

  package struct Version: Codable, Sendable {
    package let archive: Data
    /// The names of the properties by entity, in their order, which an archive does not keep.
    package let properties: [String: [String]]
    /// The enumerations of attributes by entity and name, which an archive does not keep either.
    package let enumerations: [String: [String: Enumeration]]

    package init(
      archive: Data, properties: [String: [String]], enumerations: [String: [String: Enumeration]]
    ) {
      self.archive = archive
      self.properties = properties
      self.enumerations = enumerations
    }
  }

  package struct Enumeration: Codable, Sendable {
    package let name: String
    package let labels: [String]

    package init(name: String, labels: [String]) {
      self.name = name
      self.labels = labels
    }
  }

  /// A fact of the database that the model does not express.
  package struct Note: Codable, Sendable {
    package let isWarning: Bool
    package let problem: String
    package let remedy: String?

    package init(isWarning: Bool, problem: String, remedy: String?) {
      self.isWarning = isWarning
      self.problem = problem
      self.remedy = remedy
    }
  }
}
