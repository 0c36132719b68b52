import CoreDataStore
import Foundation
import ManagedModel
import StoreExchange
import StoreRequests
import ToolConsole

/// Writes a file of comma-separated values for each entity.
struct CSVExport {
  private let command: Export

  init(_ command: Export) { self.command = command }

  func run(_ store: PersistentStore) throws -> Export.Report {
    let folder = URL(fileURLWithPath: command.output, isDirectory: true)
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), !isFolder.boolValue {
      throw Failure(folder, line: nil, "it is a file, and a folder is to be written", remedy: "name another place")
    }
    let drafts = try FileDrafts(in: folder)
    var report = command.makeReport()
    var names = FileNames()
    try store.readObjects { reader in
      for entity in store.storedEntities.entities where !entity.description.isAbstract {
        let table = ObjectTable(entity)
        // An entity without objects has a file too. It replaces the file of an earlier export.
        let objects = try reader.objects(ObjectRequest(exactly: entity.name))
        let name = names.take(entity.name, extension: "csv")
        if name != entity.name + ".csv" { report.notes.append("entity \(entity.name) is in \(name)") }
        report.notes += table.renamings.map { "\($0.what) is called \($0.name)" }
        let place = folder.appendingPathComponent(name)
        try command.checkPlace(place)
        let stream = try ResultStream(file: drafts.add(name), for: place)
        var text = CSVText(guardsFormulas: command.guardFormulas)
        text.write(table.header)
        var count = 0
        while let object = try objects.next() {
          text.write(table.row(object))
          try stream.write(text.bytes)
          text.removeAll()
          count += 1
          try command.step()
        }
        try stream.write(text.bytes)
        try stream.flush()
        report.parts.append(Export.Report.Part(name: entity.name, file: name, count: count))
      }
      try reader.countForeignRows()
      report.notes += reader.omissions.descriptions.map { "\($0): left out" } + reader.repairedTexts.descriptions
    }
    try drafts.commit()
    return report
  }
}
