import DatabaseFiles
package import Foundation
package import ManagedModel
import SQLite
import StoreRequests

extension PersistentStore {
  /// Opens a store, or makes a store if none exists.
  ///
  /// Without a model the store's own model applies. A given model may contain fewer entities than the store: the
  /// other entities keep their rows and tables. Opening writes nothing to an existing store. If opening fails, it
  /// leaves no new file behind.
  ///
  /// - Throws: ``StoreError`` with the path, the cause and the remedy.
  package static func open(
    at url: URL, options: StoreOptions = StoreOptions(), model: ModelDescription? = nil
  ) throws -> PersistentStore {
    var file = try StoreFile(url)
    if !file.exists {
      guard let model, options.createsIfMissing, !options.isReadOnly else {
        throw StoreError(path: file.path, .missing)
      }
      try StoreCreation(file: file, model: model, options: options).run()
      file = try StoreFile(url)
    }
    let copy = file.needsCopy ? try file.copy() : nil
    let place = try copy.map { try StoreFile(file, in: $0) } ?? file
    let contents = try StoreContents(place, busyTimeout: options.busyTimeout)
    let layout =
      options.isReadOnly && options.hasTablesOnly
      ? try StoreLayout(model: ModelDescription(entities: []))
      : try contents.layout(given: model, entityNames: options.entityNames, path: file.path)
    if !options.isReadOnly {
      guard file.isWritable else { throw StoreError(path: file.path, .fileNotWritable) }
      guard file.isFolderWritable else { throw StoreError(path: file.path, .folderNotWritable(file.folder)) }
    }
    let openedModel = contents.openedModel(path: file.path)
    let connections = StoreConnections(
      file: file, copy: copy, place: place, options: options, layout: layout, openedModel: openedModel)
    return PersistentStore(
      url: URL(fileURLWithPath: file.path), layout: layout, metadata: contents.metadata,
      isReadOnly: options.isReadOnly, externalData: connections.externalData,
      externalDataWriter: connections.externalDataWriter, openedModel: openedModel, openReader: connections.openReader,
      openWriter: connections.openWriter, didClose: connections.didClose)
  }

  /// Makes a store in memory, with the same tables as a store on disk.
  ///
  /// The store lives as long as the returned value.
  ///
  /// - Throws: ``StoreError``
  package static func inMemory(
    model: ModelDescription, options: StoreOptions = StoreOptions()
  ) throws -> PersistentStore {
    let path: String? = nil
    do {
      let plan = try StoreCreation.Plan(model: model, options: options, path: path)
      let connection = try Connection.inMemory()
      try SQLFunctions.register(on: connection)
      try plan.write(to: connection)
      // No other program has written this schema. Its triggers may fill R*Trees.
      try connection.trustSchema()
      let contents = try StoreContents(connection, path: path)
      let layout = try contents.layout(given: model, entityNames: options.entityNames, path: path)
      let external = layout.externalColumns
      try ExternalDataReader(folder: nil, columns: external).register(on: connection)
      let externalDataWriter = ExternalDataWriter(folder: nil, columns: external, storePath: nil)
      try externalDataWriter.register(on: connection)
      try StatementLog.start(on: connection)
      return PersistentStore(
        url: nil, layout: layout, metadata: contents.metadata, isReadOnly: options.isReadOnly,
        writer: connection, externalData: nil, externalDataWriter: externalDataWriter,
        openedModel: contents.openedModel(path: path), openReader: { connection }, openWriter: { connection })
    } catch let error as SQLiteError {
      throw StoreError(path: path, error)
    }
  }
}

/// Opens the connections of a store on disk.
private struct StoreConnections: Sendable {
  private let path: String
  /// The copy that serves reads, if the store itself cannot be read in place; removed when the store is released.
  private let copy: DatabaseCopy?
  let externalData: ExternalDataFolder
  let externalDataWriter: ExternalDataWriter
  private let externalDataReader: ExternalDataReader
  /// Whether this process may make files beside the store, which reading in WAL mode requires.
  let canShare: Bool
  let isReadOnly: Bool
  /// Whether a `-wal` file, perhaps an empty one, was there before this process opened the store.
  private let hadLog: Bool
  private let index: LogIndex
  private let open: @Sendable (OpenMode) throws -> Connection
  private let watch: StatementGuard
  private let openedModel: OpenedModel

  init(
    file: StoreFile, copy: DatabaseCopy?, place: StoreFile, options: StoreOptions, layout: StoreLayout,
    openedModel: OpenedModel
  ) {
    self.openedModel = openedModel
    let (path, busyTimeout) = (place.resolvedPath, options.busyTimeout)
    let canShare = place.isWritable && place.isFolderWritable
    self.path = path
    self.copy = copy
    self.canShare = canShare
    isReadOnly = options.isReadOnly
    hadLog = place.size(ofCompanion: "-wal") != nil
    index = LogIndex(of: place)
    watch = StatementGuard(untrustedFile: path)
    let external = layout.externalColumns
    externalData = ExternalDataFolder(storePath: file.resolvedPath)
    externalDataWriter = ExternalDataWriter(folder: externalData, columns: external, storePath: file.resolvedPath)
    let open: @Sendable (OpenMode) throws -> Connection = { [identity = place.identity] mode in
      let connection: Connection
      do { connection = try Connection(path: path, mode: mode, busyTimeout: busyTimeout) } catch {
        throw access(path, F_OK) == 0 ? error : StoreError(path: path, .replaced)
      }
      try StoreFile.require(identity, of: connection)
      return connection
    }
    self.open = open
    externalDataReader = ExternalDataReader(folder: externalData, columns: external) {
      try open(canShare ? .readWrite : .readOnly)
    }
  }

  @Sendable func openReader() throws -> Connection {
    let connection: Connection
    if canShare {
      connection = try open(.readWrite)
      // A store for reading only keeps the log, which may hold waiting data.
      if isReadOnly, hadLog || hasLog { try connection.keepWriteAheadLogOnClose() }
    } else {
      // In a place without write permission no process writes. SQLite reads a log if it can.
      connection = try open(hasLog ? .readOnly : .immutable)
    }
    try connection.watch(watch)
    try SQLFunctions.register(on: connection)
    try externalDataReader.register(on: connection)
    try connection.setPragma("query_only", "ON")
    try openedModel.check(connection)
    try StatementLog.start(on: connection)
    return connection
  }

  @Sendable func openWriter() throws -> Connection {
    let connection = try open(.readWrite)
    try connection.refuseRecursion()
    try connection.watch(watch)
    try SQLFunctions.register(on: connection)
    try externalDataReader.register(on: connection)
    try externalDataWriter.register(on: connection)
    // A store from before 2013 changes to a write-ahead log, as every later store has. Then readers do not block
    // writers.
    try connection.setPragma("journal_mode", "WAL")
    // A finished save survives a killed or crashed process. A power failure may undo the last saves, each save as a
    // whole (https://www.sqlite.org/pragma.html#pragma_synchronous).
    try connection.setPragma("synchronous", "NORMAL")
    try StatementLog.start(on: connection)
    return connection
  }

  @Sendable func didClose() {
    // SQLite may make the index itself only where this process may write.
    if isReadOnly, canShare { index.removeIfUnused() }
  }

  private var hasLog: Bool { (FileState(path: path + "-wal")?.size ?? 0) > 0 }
}
