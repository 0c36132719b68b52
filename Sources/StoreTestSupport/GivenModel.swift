package import Foundation
import TestSupport

/// The model of a real store that has none of its own.
package enum GivenModel: Sendable {
  /// A `.mom` file among the fixtures.
  case archive(String)
  /// The folder of a model in XML among the fixtures.
  case source(String)
  /// XML that stands here; that it is the store's model is proved by the version hashes, without which it would not open.
  case reconstructed(String)

  /// The file with the model itself, for checkers.
  ///
  /// - Parameter folder: where a file is made if there is none.
  package func file(in folder: URL) throws -> URL {
    let path = try bundle(in: folder)
    return path.pathExtension == "mom" ? path : path.appendingPathComponent("contents")
  }

  /// What a person gives to a tool: a `.mom`, or an `.xcdatamodel`.
  ///
  /// - Parameter folder: where a model is made if there is none.
  package func bundle(in folder: URL) throws -> URL {
    switch self {
    case .archive(let path), .source(let path): return Fixtures.url(path)
    case .reconstructed(let xml):
      let bundle = folder.appendingPathComponent("Model.xcdatamodel")
      try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
      try Data(xml.utf8).write(to: bundle.appendingPathComponent("contents"))
      return bundle
    }
  }
}

extension FixtureStores {
  /// The models of the stores of before `Z_MODELCACHE`, by the stores' names.
  package static let givenModels: [String: GivenModel] = [
    "magicalpanda__MagicalRecord__Recipes.sqlite": .recipes,
    "OgreSwamp__XCakeLabs_LocalizationLab__CoreDataBooks.CDBStore": .books,
    "yepher__CoreDataUtility__SingleEntitySingleAttribut.sqlite":
      .archive("compiled/yepher__CoreDataUtility/HEAD_TestFiles/TestFiles/SingleEntitySingleAttribut.mom"),
    "yepher__CoreDataUtility__fetchRequestorig.sqlite":
      .archive("compiled/yepher__CoreDataUtility/HEAD_TestFiles/TestFiles/fetchRequest.mom"),
    "kodecocodes__cdt-materials__SurfJournalModel.sqlite":
      .source("models/kodecocodes__cdt-materials/SurfJournalModel.xcdatamodeld/SurfJournalModel.xcdatamodel"),
  ]
}

extension GivenModel {
  /// Apple's sample of 2009.
  fileprivate static let books = reconstructed(
    """
    <model><entity name="Book">
      <attribute name="author" attributeType="String"/>
      <attribute name="copyright" optional="YES" attributeType="Date"/>
      <attribute name="price" optional="YES" attributeType="Float"/>
      <attribute name="title" attributeType="String"/>
    </entity></model>
    """)

  /// Apple's sample of 2009.
  fileprivate static let recipes = reconstructed(
    """
    <model>
      <entity name="Image">
        <attribute name="image" optional="YES" attributeType="Transformable"/>
        <relationship name="recipe" minCount="1" maxCount="1" destinationEntity="Recipe" inverseName="image" \
    inverseEntity="Recipe"/>
      </entity>
      <entity name="Ingredient">
        <attribute name="amount" optional="YES" attributeType="String"/>
        <attribute name="displayOrder" attributeType="Integer 16"/>
        <attribute name="name" attributeType="String"/>
        <relationship name="recipe" optional="YES" minCount="1" maxCount="1" destinationEntity="Recipe" \
    inverseName="ingredients" inverseEntity="Recipe"/>
      </entity>
      <entity name="Recipe">
        <attribute name="instructions" optional="YES" attributeType="String"/>
        <attribute name="name" optional="YES" attributeType="String"/>
        <attribute name="overview" optional="YES" attributeType="String"/>
        <attribute name="prepTime" optional="YES" attributeType="String"/>
        <attribute name="thumbnailImage" optional="YES" attributeType="Transformable"/>
        <relationship name="image" optional="YES" minCount="1" maxCount="1" destinationEntity="Image" \
    inverseName="recipe" inverseEntity="Image"/>
        <relationship name="ingredients" optional="YES" toMany="YES" destinationEntity="Ingredient" \
    inverseName="recipe" inverseEntity="Ingredient"/>
        <relationship name="type" optional="YES" minCount="1" maxCount="1" destinationEntity="RecipeType" \
    inverseName="recipes" inverseEntity="RecipeType"/>
      </entity>
      <entity name="RecipeType">
        <attribute name="name" optional="YES" attributeType="String"/>
        <relationship name="recipes" optional="YES" toMany="YES" destinationEntity="Recipe" inverseName="type" \
    inverseEntity="Recipe"/>
      </entity>
    </model>
    """)
}
