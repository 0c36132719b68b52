public import Foundation

/// The place and options of one store, in a file or in memory, and the entities it keeps.
///
///     let configuration = ModelConfiguration(url: folder.appending(path: "Library.store"))
///     let container = try ModelContainer(for: Book.self, configurations: configuration)
///
/// Without a URL the store's file is `<Application Support>/<name>.store`, or `default.store` without a name. On Linux,
/// Application Support is the XDG data home: `~/.local/share` by default, shared by all programs of a user. Name the
/// configuration, or give a URL. The identifier of a group container names a folder in the XDG data home.
///
/// Apple: `ModelConfiguration`. CloudKit settings are kept and have no other effect.
public struct ModelConfiguration: Sendable {
  /// The configuration's name; "default" unless given.
  public let name: String
  /// The store's main file; `/dev/null` for a store in memory.
  public let url: URL
  /// The entities that this store keeps; `nil` for those of the container's schema.
  public var schema: Schema?
  /// Whether changes may be saved; if not, the store is opened read-only, and a store in memory stays empty.
  public let allowsSave: Bool
  /// Whether the store lives in memory and ends with its container.
  public let isStoredInMemoryOnly: Bool
  /// The choice of a group container.
  public let groupContainer: GroupContainer
  /// The choice of a CloudKit database; without effect on Linux.
  public let cloudKitDatabase: CloudKitDatabase
  /// How long the store keeps its history; `nil`, the default, keeps it until somebody deletes it.
  ///
  /// Opening the container deletes older transactions, and so do saves from time to time: after a tenth of this time, at least a minute and at
  /// most an hour. Transactions that a reader needs stay, see ``ModelContext/keepHistory(after:for:)``. Any other token from before then
  /// throws ``SwiftDataError/historyTokenExpired``. Not in Apple's framework.
  public var historyRetention: Duration?
  /// How an older store is migrated. Not in Apple's framework.
  public var migration = MigrationOptions()
  /// The custom store that the configuration stands for; `nil` for a store in Core Data's layout.
  var dataStore: CustomDataStore?
  /// Distinguishes stores in memory, which all have the same URL.
  private let memoryIdentifier: UUID?

  /// The identifier of the group container, if one was given.
  public var groupAppContainerIdentifier: String? { groupContainer.identifier }
  /// The identifier of the private CloudKit database, if one was given.
  public var cloudKitContainerIdentifier: String? { cloudKitDatabase.identifier }

  /// A configuration of all the container's entities under the default name.
  public init(isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: nil, isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// A configuration of the given classes and of classes that their relationships reach, under the default name.
  public init(for types: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: Schema(types), isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// A configuration whose store lies at the default place, or in memory.
  ///
  /// - Parameters:
  ///   - name: the store's file is `<name>.store`.
  ///   - schema: the entities that the store keeps; if `nil`, the entities that no other configuration's schema has.
  ///   - isStoredInMemoryOnly: whether the store has no file, and ends with its containers.
  ///   - allowsSave: whether contexts may save.
  ///   - groupContainer: an identifier names the folder of the file.
  ///   - cloudKitDatabase: is kept; nothing is synchronized.
  public init(
    _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true,
    groupContainer: GroupContainer = .automatic, cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    self.name = name ?? Self.defaultName
    self.url =
      isStoredInMemoryOnly
      ? URL(fileURLWithPath: "/dev/null") : Self.defaultURL(name: name ?? Self.defaultName, in: groupContainer)
    self.schema = schema
    self.allowsSave = allowsSave
    self.isStoredInMemoryOnly = isStoredInMemoryOnly
    self.groupContainer = groupContainer
    self.cloudKitDatabase = cloudKitDatabase
    self.memoryIdentifier = isStoredInMemoryOnly ? UUID() : nil
  }

  /// A configuration whose store has a given URL; a new store's folder is made if it is missing.
  public init(
    _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true,
    cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    let isInMemory = url.path == "/dev/null"
    self.name = name ?? Self.defaultName
    self.url = url
    self.schema = schema
    self.allowsSave = allowsSave
    self.isStoredInMemoryOnly = isInMemory
    self.groupContainer = .none
    self.cloudKitDatabase = cloudKitDatabase
    self.memoryIdentifier = isInMemory ? UUID() : nil
  }
}

extension ModelConfiguration {
  /// The place of a store that several programs of one developer share.
  public struct GroupContainer: Hashable, Sendable {
    let kind: Kind
    enum Kind: Hashable, Sendable { case automatic, none, identifier(String) }

    /// The first group that the program is entitled to; on Linux, no group.
    public static let automatic = GroupContainer(kind: .automatic)
    /// No group.
    public static let none = GroupContainer(kind: .none)
    /// The group of this identifier.
    public static func identifier(_ identifier: String) -> GroupContainer {
      GroupContainer(kind: .identifier(identifier))
    }

    var identifier: String? { if case .identifier(let identifier) = kind { identifier } else { nil } }
  }

  /// The CloudKit database that mirrors a store; exists for source compatibility, without effect on Linux.
  public struct CloudKitDatabase: Hashable, Sendable {
    let kind: Kind
    enum Kind: Hashable, Sendable { case automatic, none, `private`(String) }

    /// The first CloudKit container that the program is entitled to.
    public static let automatic = CloudKitDatabase(kind: .automatic)
    /// No mirroring.
    public static let none = CloudKitDatabase(kind: .none)
    /// The private database of the container of this identifier.
    public static func `private`(_ identifier: String) -> CloudKitDatabase {
      CloudKitDatabase(kind: .private(identifier))
    }

    var identifier: String? { if case .private(let identifier) = kind { identifier } else { nil } }
  }
}

extension ModelConfiguration: Identifiable, Hashable, CustomDebugStringConvertible {
  /// The store's URL.
  public var id: URL { url }

  /// Whether two configurations describe one store with the same options; how it is migrated does not count.
  public static func == (left: ModelConfiguration, right: ModelConfiguration) -> Bool {
    left.name == right.name && left.url == right.url && left.memoryIdentifier == right.memoryIdentifier
      && left.allowsSave == right.allowsSave && left.schema == right.schema
      && left.groupContainer == right.groupContainer && left.cloudKitDatabase == right.cloudKitDatabase
      && left.historyRetention == right.historyRetention
  }

  /// Hashes the name and the place.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(url)
    hasher.combine(memoryIdentifier)
  }

  /// The name, the place, and options that differ from the defaults.
  public var debugDescription: String {
    let type = dataStore.map { "\(Swift.type(of: $0.configuration))" } ?? "ModelConfiguration"
    if let dataStore, dataStore.place == nil { return "\(type)(\(name))" }
    return "\(type)(\(name), \(place)\(allowsSave ? "" : ", read-only"))"
  }
}

extension ModelConfiguration {
  private static let defaultName = "default"

  /// The place of the store for messages, without secrets.
  var place: String { dataStore?.place ?? (isStoredInMemoryOnly ? "in memory" : url.path) }

  /// The store in the middle of a sentence, by its place or its name.
  var storeInWords: String {
    if let dataStore, dataStore.place == nil { return "the store \(name)" }
    return dataStore == nil && isStoredInMemoryOnly ? "the store in memory" : "the store at \(place)"
  }

  /// Whether a client's configuration is that of this store; several configurations may have the default name.
  func describes(_ other: any DataStoreConfiguration) -> Bool {
    if let dataStore { return AnyHashable(dataStore.configuration) == AnyHashable(other) }
    guard let other = other as? ModelConfiguration else { return false }
    return name == other.name && url == other.url && memoryIdentifier == other.memoryIdentifier
  }

  var hasDefaultName: Bool { name == Self.defaultName }

  /// The longest file name of Linux's file systems, in bytes.
  private static let longestFileName = 255
  /// The longest suffix that SQLite appends to a store's file name.
  private static let longestSuffix = "-journal"

  private static func defaultURL(name: String, in group: GroupContainer) -> URL {
    var folder =
      FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
      ?? FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".local/share", isDirectory: true)
    if let identifier = group.identifier { folder.appendPathComponent(identifier, isDirectory: true) }
    return folder.appendingPathComponent(name + ".store", isDirectory: false)
  }

  /// Checks that the name and the group identifier can be file names, and that the URL is one of a file.
  ///
  /// - Throws: `SwiftDataError.configurationFileNameContainsInvalidCharacters`,
  ///   `SwiftDataError.configurationFileNameTooLong`, or `SwiftDataError.loadIssueModelContainer` for the URL.
  public func validate() throws {
    if let dataStore { return try dataStore.validate() }
    for part in [name, groupContainer.identifier].compactMap(\.self) {
      if part.isEmpty || part == "." || part == ".." || part.contains("/") || part.unicodeScalars.contains("\0") {
        throw SwiftDataError(
          .configurationFileNameContainsInvalidCharacters,
          "The configuration's name or group \"\(part)\" cannot be a file's name: it is empty, \".\", \"..\" or holds \"/\"."
        )
      }
    }
    guard isStoredInMemoryOnly || url.isFileURL else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        "The store's URL \(url.absoluteString) is no file URL: make it with URL(fileURLWithPath:).")
    }
    let fileName = isStoredInMemoryOnly ? "" : url.lastPathComponent
    if fileName.utf8.count + Self.longestSuffix.utf8.count > Self.longestFileName {
      throw SwiftDataError(
        .configurationFileNameTooLong,
        "The store's file name has \(fileName.utf8.count) bytes; with SQLite's suffixes at most \(Self.longestFileName) are possible. Choose a shorter name."
      )
    }
  }
}
