public import Foundation
internal import Logging
internal import StoreRequests

extension ModelContainer {
  /// Copies the container's store to a file, while contexts and other programs go on saving.
  ///
  ///     try container.backup(to: URL(fileURLWithPath: "/backups/library.store"))
  ///
  /// The copy is the store between two saves. It includes the saves that wait in the log. A folder beside it has the files of big values
  /// that its rows name. It opens like the store, and has its identifier and its history. Unsaved changes are not in it. A store in memory
  /// is copied too.
  ///
  /// A container of several stores needs a folder at `url`; each store gets a file there, `NAME.store` by its configuration's name. Each copy
  /// is right by itself; the stores are copied one after the other.
  ///
  /// The copy takes its place when it is complete. Cost: writes as many bytes as the store has. Saves go on meanwhile; only if saves replace
  /// big values as fast as they are copied, they wait until the rest of the files is copied. Beyond Apple.
  /// - Parameters:
  ///   - url: the file of the copy, in a folder that exists. Its name differs from the names of other stores in the folder in more than the
  ///     extension, because such stores have one folder of big values.
  ///   - replacesExisting: whether a store at `url` is replaced, in one transaction; `false` by default.
  /// - Returns: the files of the copies, in the order of the configurations.
  /// - Throws: ``SwiftDataError/storeFailure`` if the file exists and is not to be replaced, or is no store; if another store has its
  ///   big values in the same folder; if the disk is full, or the folder may not be written; if a configuration is of a database, or of
  ///   a `DataStore` of the program's own. What is at `url` is then as it was.
  @discardableResult
  public func backup(to url: URL, replacesExisting: Bool = false) throws -> [URL] {
    var names: Set<String> = []
    var targets: [(store: OpenStore, engine: any CopyableEngine, url: URL)] = []
    for store in core.stores {
      guard let engine = store.engine as? any CopyableEngine else {
        throw SwiftDataError(
          .storeFailure,
          "The store \(store.configuration.debugDescription) is no file that can be copied: make the backup by its own means."
        )
      }
      var place = url
      if core.stores.count > 1 {
        var name = store.configuration.name.replacing("/", with: "_")
        while !names.insert(name).inserted { name += "-\(store.index + 1)" }
        place = url.appendingPathComponent("\(name).store")
      }
      targets.append((store, engine, place))
    }
    return try targets.map { store, engine, place in
      let missing: [String]
      do { missing = try engine.copy(toFile: place, replacesExisting: replacesExisting) } catch {
        throw SwiftDataError(storeError: error)
      }
      if !missing.isEmpty {
        Logger(label: "SwiftData").warning(
          """
          The store \(store.configuration.debugDescription) lacks \(missing.count) files of big values, and so does its copy at \
          "\(place.path)": \(missing.prefix(3).joined(separator: ", ")).
          """)
      }
      return place
    }
  }
}
