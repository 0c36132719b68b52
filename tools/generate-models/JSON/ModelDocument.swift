import Foundation
import ManagedModel
import ModelGenerator
import ToolConsole

/// The document of `--json`: a model, version by version, with the hashes that its stores contain.
///
/// Lists are in the model's order. An absent key means no, none or empty, so a flag is present only if it is set.
struct ModelDocument: Encodable {
  let formatVersion = 1
  let name: String
  let source: String
  let currentVersion: String
  let versions: [Version]
  let diagnostics: [DiagnosticDocument]

  struct Version: Encodable {
    let name: String
    let number: Int
    let isCurrent: TrueOrAbsent
    let versionIdentifiers: [String]?
    let usedWithCloudKit: TrueOrAbsent
    /// `NSStoreModelVersionChecksumKey` (VH-14); absent if a hash cannot be computed.
    let checksum: String?
    let entities: [EntityDocument]
    let composites: [CompositeDocument]?
    let configurations: [ConfigurationDocument]?
    let fetchRequestTemplates: [FetchRequestDocument]?
  }

  init(_ bundle: ModelVersions, diagnostics: [Message]) {
    name = bundle.name
    source = bundle.source
    currentVersion = bundle.versions[bundle.currentIndex].name
    versions = bundle.versions.indices.map { index in
      let version = bundle.versions[index]
      return Version(
        version.model, name: version.name, number: bundle.number(index), isCurrent: index == bundle.currentIndex)
    }
    self.diagnostics = diagnostics.map(DiagnosticDocument.init)
  }
}

extension ModelDocument.Version {
  init(_ model: ModelDescription, name: String, number: Int, isCurrent: Bool) {
    let hashes = try? VersionHashes(model)
    self.name = name
    self.number = number
    self.isCurrent = TrueOrAbsent(isCurrent)
    versionIdentifiers = model.versionIdentifiers.filter { !$0.isEmpty }.unlessEmpty
    usedWithCloudKit = TrueOrAbsent(model.usedWithCloudKit)
    checksum = hashes?.checksum
    entities = model.entities.map { EntityDocument($0, hash: hashes?[$0.name]) }
    composites = model.composites.map(CompositeDocument.init).unlessEmpty
    configurations = model.configurations.map(ConfigurationDocument.init).unlessEmpty
    fetchRequestTemplates = model.fetchRequestTemplates.map(FetchRequestDocument.init).unlessEmpty
  }
}

/// `true`, or no key at all.
typealias TrueOrAbsent = Bool?

extension TrueOrAbsent {
  init(_ isSet: Bool) { self = isSet ? true : nil }
}

extension Array {
  /// `nil` for an empty list, so that its key is left out.
  var unlessEmpty: [Element]? { isEmpty ? nil : self }
}

extension Dictionary {
  /// `nil` for an empty dictionary, so that its key is left out.
  var unlessEmpty: [Key: Value]? { isEmpty ? nil : self }
}
