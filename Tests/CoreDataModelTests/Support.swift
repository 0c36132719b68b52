import Foundation
import ManagedModel
import Testing

@testable import CoreDataModel

/// A model file's text: the root's tag is on line 2, and `inside` starts on line 3.
func modelText(_ inside: String) -> String {
  """
  <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
  <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="">
  \(inside)
  </model>
  """
}

func parse(_ inside: String) throws -> ParsedModel {
  try ModelParser.parse(Data(modelText(inside).utf8), fileName: "contents")
}

/// The model of a text that has no problems but relationships without an inverse.
func cleanModel(_ inside: String) throws -> ModelDescription {
  let parsed = try parse(inside)
  let problems = parsed.diagnostics.filter { !$0.problem.hasSuffix("has no inverse") }
  if !problems.isEmpty { throw ModelReadingError(problems) }
  return parsed.model
}

/// The first entity of a text without problems.
func cleanEntity(_ inside: String) throws -> EntityDescription {
  try #require(try cleanModel(inside).entities.first)
}

/// An attribute by what its tag says beside the name.
func cleanAttribute(_ tag: String, inside: String = "") throws -> AttributeDescription {
  let entity = try cleanEntity("<entity name=\"E\"><attribute name=\"a\" \(tag)>\(inside)</attribute></entity>")
  return try #require(entity.attributes.first)
}

/// A relationship of entity `E` by what its tag says beside the name; there is an entity `F`.
func cleanRelationship(_ tag: String, inside: String = "") throws -> RelationshipDescription {
  let entity = try cleanEntity(
    "<entity name=\"E\"><relationship name=\"r\" \(tag)>\(inside)</relationship></entity><entity name=\"F\"/>")
  return try #require(entity.relationships.first)
}
