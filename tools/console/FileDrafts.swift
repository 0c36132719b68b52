import DatabaseFiles
package import Foundation

/// Files of one folder that are first written under other names. When all are complete, each moves to its place.
///
/// Until then, the folder's own files are unchanged. If the value is released without ``commit()``, it leaves no file
/// behind. What a killed run leaves is removed by the next one for the same folder.
package final class FileDrafts {
  private static let (name, purpose) = ("output", "draft")

  private let folder: URL
  /// A hidden folder beside the files' places; `nil` after ``commit()`` and ``discard()``.
  private var drafts: DraftFolder?
  private var places: [(draft: URL, place: URL)] = []
  private var made: MadeFolders?

  /// - Parameter file: the only file, if the user has named it and not the folder.
  /// - Throws: ``Failure`` if the folder does not exist and cannot be created, or nothing can be written into it.
  package init(in folder: URL, for file: URL? = nil) throws {
    self.folder = folder
    do { made = try MadeFolders(folder) } catch {
      throw Failure(
        folder, line: nil, "the output folder cannot be made: \(Failure.reason(error))",
        remedy: "choose another output folder")
    }
    do {
      drafts = try DraftFolder(of: Self.name, in: folder.path, purpose: Self.purpose, removing: Self.isDraft)
    } catch {
      made?.remove()
      guard let file else { throw failure(Failure.reason(error)) }
      throw Failure(
        file, line: nil, "the output cannot be written: \(Failure.reason(error))",
        remedy: "name a file in a folder that is writable, and see that the disk has room")
    }
  }

  deinit { discard() }

  /// Removes what killed runs have left in a folder. Each new value does so, too.
  package static func removeAbandoned(in folder: URL) {
    DraftFolder.removeAbandoned(of: name, in: folder.path, purpose: purpose, if: isDraft)
  }

  /// Whether a folder has the whole name of one for drafts. A user may have one whose name only begins so.
  private static func isDraft(_ folder: URL) -> Bool {
    UUID(uuidString: String(folder.lastPathComponent.suffix(UUID().uuidString.count))) != nil
  }

  /// The temporary path for the file or folder of this name; nothing exists there yet.
  package func add(_ name: String) -> URL {
    // A file's name may have the greatest length that is allowed, so the draft's name does not contain it.
    let draft = (drafts?.url ?? folder).appendingPathComponent("\(places.count)")
    places.append((draft, folder.appendingPathComponent(name)))
    return draft
  }

  /// Moves every file to its place, each in one step; a folder takes the place of an older one in two.
  ///
  /// - Throws: ``Failure`` if a file cannot be moved; earlier files then have their new content.
  package func commit() throws {
    for (draft, place) in places {
      if let code = Self.move(draft, to: place) { throw failure(String(cString: strerror(code))) }
    }
    finish()
  }

  /// Removes the drafts, and the folders that this value created if they are empty.
  package func discard() {
    drafts = nil
    made?.remove()
    finish()
  }

  private func finish() {
    drafts = nil
    places = []
    made = nil
  }

  /// A folder with files cannot be replaced in one step: the old one is moved aside, and back if the new one cannot take
  /// its place.
  ///
  /// - Returns: the error number of the system; `nil` if all went well.
  private static func move(_ draft: URL, to place: URL) -> Int32? {
    if rename(draft.path, place.path) == 0 { return nil }
    let code = errno
    guard code == ENOTEMPTY || code == EEXIST else { return code }
    let aside = draft.appendingPathExtension("old")
    guard rename(place.path, aside.path) == 0 else { return errno }
    if rename(draft.path, place.path) == 0 { return nil }
    let reason = errno
    rename(aside.path, place.path)
    return reason
  }

  private func failure(_ reason: String) -> Failure {
    Failure(
      folder, line: nil, "the files cannot be written: \(reason)",
      remedy: "make the folder writable and see that the disk has room")
  }
}
