import Foundation

/// A model bundle made by code, always the same for a number of versions: a model that grows from version to version, as
/// real ones do, from the same first to the same last one in few or in many steps.
struct SyntheticBundle {
  let versionCount: Int

  /// Entities of the first version.
  private static let entityCount = 30
  /// Attributes of an entity of the first version.
  private static let attributeCount = 7
  /// By how many attributes the last version is larger, and by five times fewer entities.
  private static let growth = 100

  /// Writes the bundle and returns its place.
  func write(in folder: URL) throws -> URL {
    let bundle = folder.appendingPathComponent("Synthetic\(versionCount).xcdatamodeld", isDirectory: true)
    for version in 0..<versionCount {
      let place = bundle.appendingPathComponent("\(name(of: version)).xcdatamodel", isDirectory: true)
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      try Data(contents(of: version).utf8).write(to: place.appendingPathComponent("contents"))
    }
    let current = """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict><key>_XCCurrentVersionName</key>\
      <string>\(name(of: versionCount - 1)).xcdatamodel</string></dict></plist>
      """
    try Data(current.utf8).write(to: bundle.appendingPathComponent(".xccurrentversion"))
    return bundle
  }

  private func name(of version: Int) -> String { version == 0 ? "Synthetic" : "Synthetic \(version + 1)" }

  private func contents(of version: Int) -> String {
    let added = version * Self.growth / versionCount
    let count = Self.entityCount + added / 5
    let entities = (0..<count).map { entity($0, of: count, addedAttributes: added) }
    return """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift" \
      userDefinedModelVersionIdentifier="\(version + 1)">
      \(entities.joined(separator: "\n"))
      </model>
      """
  }

  private func entity(_ index: Int, of count: Int, addedAttributes: Int) -> String {
    let name = Self.name(of: index)
    let parent = index % 10 == 9 ? " parentEntity=\"\(Self.name(of: index - 1))\"" : ""
    let added = (addedAttributes + Self.entityCount - 1 - index % Self.entityCount) / Self.entityCount
    let attributes = (0..<Self.attributeCount + added).map { attribute($0, of: name) }
    let next = Self.name(of: (index + 1) % count)
    let previous = Self.name(of: (index + count - 1) % count)
    return """
          <entity name="\(name)" representedClassName="\(name)"\(parent) syncable="YES">
      \(attributes.joined(separator: "\n"))
              <relationship name="parts\(name)" optional="YES" toMany="YES" deletionRule="Cascade" \
      destinationEntity="\(next)" inverseName="whole\(next)" inverseEntity="\(next)" syncable="YES"/>
              <relationship name="whole\(name)" optional="YES" maxCount="1" deletionRule="Nullify" \
      destinationEntity="\(previous)" inverseName="parts\(previous)" inverseEntity="\(previous)" syncable="YES"/>
              <fetchIndex name="by\(name)"><fetchIndexElement property="text0\(name)" type="Binary" \
      order="ascending"/></fetchIndex>
              <uniquenessConstraints><uniquenessConstraint><constraint value="text0\(name)"/>\
      </uniquenessConstraint></uniquenessConstraints>
          </entity>
      """
  }

  private func attribute(_ index: Int, of entity: String) -> String {
    let (name, rest) =
      switch index % 7 {
      case 0: ("text", "attributeType=\"String\" defaultValueString=\"\"")
      case 1: ("count", "attributeType=\"Integer 64\" defaultValueString=\"0\" usesScalarValueType=\"YES\"")
      case 2: ("isOpen", "attributeType=\"Boolean\" defaultValueString=\"NO\" usesScalarValueType=\"YES\"")
      case 3: ("opened", "attributeType=\"Date\" usesScalarValueType=\"NO\"")
      case 4: ("price", "attributeType=\"Double\" defaultValueString=\"0.5\" usesScalarValueType=\"YES\"")
      case 5: ("cover", "attributeType=\"Binary\" allowsExternalBinaryDataStorage=\"YES\"")
      default: ("note", "attributeType=\"String\" minValueString=\"1\" maxValueString=\"80\"")
      }
    return "        <attribute name=\"\(name)\(index / 7)\(entity)\" optional=\"YES\" \(rest) syncable=\"YES\"/>"
  }

  private static func name(of index: Int) -> String {
    let words = ["Author", "Book", "Chapter", "Order", "Payment", "Product", "Review", "Shelf", "Store", "Customer"]
    return "\(words[index % words.count])\(index / words.count + 1)"
  }
}
