import CoreDataModel
import Foundation
import ManagedModel
import ModelArchive
import StoreTestSupport
import TestSupport

extension GivenModel {
  /// - Throws: what reading the model throws.
  func read() throws -> ModelDescription {
    if case .archive(let path) = self { return try ModelArchive.decode(Data(contentsOf: Fixtures.url(path))) }
    let folder = try TemporaryStore()
    return try ModelBundle.read(at: bundle(in: folder.folder)).versions[0].model
  }
}
