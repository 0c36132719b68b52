internal import ErrorReporting
public import Foundation

/// An error of SwiftData: a kind, which `catch` patterns match, and a sentence for people.
///
///     do {
///       let container = try ModelContainer(for: Book.self)
///     } catch SwiftDataError.loadIssueModelContainer {
///       …
///     }
///
/// Two errors are equal if they have the same kind; the explanation and the cause are not compared.
/// Apple: `SwiftDataError`.
public struct SwiftDataError: Error, Sendable {
  let kind: Kind
  /// What failed, on which entity, property or path, and what to do; `nil` for a bare kind in a `catch` pattern.
  public let explanation: String?
  /// All validation problems of a failed save; empty for errors of other kinds.
  /// Core Data: `NSValidationMultipleErrorsError`. Not in Apple's framework.
  public var validationProblems: [ValidationProblem] { (underlyingError as? ValidationFailure)?.problems ?? [] }
  /// The error of a lower layer that caused this error.
  public let underlyingError: (any Error)?

  init(_ kind: Kind, _ explanation: String? = nil, underlyingError: (any Error)? = nil) {
    self.kind = kind
    self.explanation = explanation
    self.underlyingError = underlyingError
  }

  /// An error of the same kind with an explanation, for other modules of the package.
  package func explained(_ explanation: String, underlyingError: (any Error)? = nil) -> SwiftDataError {
    SwiftDataError(kind, explanation, underlyingError: underlyingError)
  }

  enum Kind: String, Sendable, CaseIterable {
    case includePendingChangesWithBatchSize
    case unsupportedPredicate
    case unsupportedKeyPath
    case sortingPendingChangesWithIdentifiers
    case unsupportedSortDescriptor
    case duplicateConfiguration
    case configurationFileNameTooLong
    case configurationFileNameContainsInvalidCharacters
    case configurationSchemaNotFoundInContainerSchema
    case loadIssueModelContainer
    case modelValidationFailure
    case missingModelContext
    case backwardMigration
    case unknownSchema
    case historyTokenExpired
    case invalidTransactionFetchRequest
    case saveConflict
    case storeFailure
    case unsupportedSchema
    case contextIsBusy
  }
}

extension SwiftDataError {
  /// A batch size was given for a fetch that includes unsaved changes.
  public static let includePendingChangesWithBatchSize = SwiftDataError(.includePendingChangesWithBatchSize)
  /// A predicate uses an expression that neither the store nor the context can evaluate.
  public static let unsupportedPredicate = SwiftDataError(.unsupportedPredicate)
  /// A key path leads to a value that is not a persisted property.
  public static let unsupportedKeyPath = SwiftDataError(.unsupportedKeyPath)
  /// A fetch asked for sorted identifiers while the context holds unsaved changes.
  public static let sortingPendingChangesWithIdentifiers = SwiftDataError(.sortingPendingChangesWithIdentifiers)
  /// A sort descriptor orders by a value that is not a persisted property.
  public static let unsupportedSortDescriptor = SwiftDataError(.unsupportedSortDescriptor)
  /// Two configurations of a container have the same file or the same name.
  public static let duplicateConfiguration = SwiftDataError(.duplicateConfiguration)
  /// The store's file name, made from the configuration's name, is longer than the file system allows.
  public static let configurationFileNameTooLong = SwiftDataError(.configurationFileNameTooLong)
  /// A configuration's name contains characters that a file name must not have.
  public static let configurationFileNameContainsInvalidCharacters = SwiftDataError(
    .configurationFileNameContainsInvalidCharacters)
  /// A configuration's schema has an entity that the container's schema lacks.
  public static let configurationSchemaNotFoundInContainerSchema = SwiftDataError(
    .configurationSchemaNotFoundInContainerSchema)
  /// A store could not be created, opened, or matched with the schema.
  public static let loadIssueModelContainer = SwiftDataError(.loadIssueModelContainer)
  /// A value breaks a rule of its property, or a delete rule forbids a deletion.
  public static let modelValidationFailure = SwiftDataError(.modelValidationFailure)
  /// A model object is in no context, or its context was released.
  public static let missingModelContext = SwiftDataError(.missingModelContext)
  /// A migration would lead to an older version.
  public static let backwardMigration = SwiftDataError(.backwardMigration)
  /// A class is not in the container's schema, or the migration plan's last version lacks an entity of that schema.
  public static let unknownSchema = SwiftDataError(.unknownSchema)
  /// The history that a token points into has been deleted.
  public static let historyTokenExpired = SwiftDataError(.historyTokenExpired)
  /// A history request cannot be carried out.
  public static let invalidTransactionFetchRequest = SwiftDataError(.invalidTransactionFetchRequest)
  /// Another context or process changed rows that this save was about to write; nothing was saved. Not in Apple's framework.
  public static let saveConflict = SwiftDataError(.saveConflict)
  /// The store's file could not be read or written. Not in Apple's framework.
  public static let storeFailure = SwiftDataError(.storeFailure)
  /// A model class cannot be stored as it is declared. Not in Apple's framework.
  public static let unsupportedSchema = SwiftDataError(.unsupportedSchema)
  /// The context has unsaved changes that the call does not allow, or a save is under way. Not in Apple's framework.
  public static let contextIsBusy = SwiftDataError(.contextIsBusy)

  /// Whether a thrown error has the pattern's kind; makes `catch SwiftDataError.loadIssueModelContainer` work.
  public static func ~= (pattern: SwiftDataError, value: any Error) -> Bool {
    (value as? SwiftDataError)?.kind == pattern.kind
  }
}

extension SwiftDataError: Hashable {
  /// Whether two errors are of one kind.
  public static func == (left: SwiftDataError, right: SwiftDataError) -> Bool { left.kind == right.kind }

  /// Hashes the kind.
  public func hash(into hasher: inout Hasher) { hasher.combine(kind) }
}

extension SwiftDataError: LocalizedError, CustomStringConvertible {
  /// The explanation, or the kind's name if there is no explanation.
  public var errorDescription: String? { explanation ?? "SwiftDataError.\(kind.rawValue)" }

  /// The remedy of the cause, as a sentence; `nil` if the cause has none. The explanation usually contains it too.
  public var recoverySuggestion: String? {
    (underlyingError as? any ReportableError)?.remedy.map { $0.prefix(1).uppercased() + $0.dropFirst() + "." }
  }

  /// The kind, the explanation and the cause in one line.
  public var description: String {
    var text = "SwiftDataError.\(kind.rawValue)"
    if let explanation { text += ": \(explanation)" }
    // The explanation often contains the cause's text already.
    if let underlyingError, !text.contains("\(underlyingError)") { text += " (cause: \(underlyingError))" }
    return text
  }
}
