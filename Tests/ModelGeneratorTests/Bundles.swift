import CoreDataModel
import Foundation
import ManagedModel
import TestSupport

@testable import ModelGenerator

extension ModelVersions {
  /// The versions of a bundle on disk.
  static func reading(_ url: URL) throws -> ModelVersions {
    ModelVersions(try ModelBundle.read(at: url), source: url.lastPathComponent)
  }

  /// The versions of a bundle that was read from a folder of a name.
  init(_ bundle: ModelBundle, source: String) {
    self.init(
      name: bundle.name, source: source, versions: bundle.versions.map { Version(name: $0.name, model: $0.model) },
      currentIndex: bundle.versions.firstIndex(where: \.isCurrent))
  }

  /// A bundle of one version with these entities.
  init(entities: [EntityDescription]) {
    self.init(name: "Test", source: "Test.xcdatamodeld", versions: [.test(entities)])
  }
}

extension ModelVersions.Version {
  static func test(_ entities: [EntityDescription], name: String = "Test") -> Self {
    Self(name: name, model: ModelDescription(entities: entities))
  }
}

extension ModelGenerator {
  /// The text of the one schema of a model.
  func schema(_ entities: EntityDescription...) throws -> String {
    try generate(ModelVersions(entities: entities)).files[0].contents
  }
}

enum SampleModels {
  static let library = Fixtures.packageRoot.appendingPathComponent("SampleModels/Library.xcdatamodeld")
}
