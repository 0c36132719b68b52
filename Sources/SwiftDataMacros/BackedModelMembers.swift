import SwiftSyntax

// Code written for Apple's framework may name members of the expansion of Apple's macro, most often in an `init` accessor:
//
//     var id: ID {
//       @storageRestrictions(accesses: _$backingData, initializes: _number)
//       init(initialValue) {
//         _$backingData.setValue(forKey: \.number, to: initialValue.number)
//         _number = _SwiftDataNoType()
//       }
//       …
//
// The class then has these members: its values are in backing data, and `_number` only tells the compiler that `number` has a value.

extension ClassDeclSyntax {
  private static let namesOfBackedMembers = ["_$backingData", "_SwiftDataNoType"]

  /// Whether the source of the class names the members of Apple's expansion that keep values.
  ///
  /// Objects of such a class are slower, so a comment that has the names does not count.
  var namesBackingData: Bool {
    // To visit all tokens takes longer than to search the text, which hardly ever has the names.
    let text = memberBlock.description
    guard Self.namesOfBackedMembers.contains(where: text.contains) else { return false }
    return memberBlock.tokens(viewMode: .sourceAccurate).contains { Self.namesOfBackedMembers.contains($0.text) }
  }
}

extension ModelMembers {
  /// The members of a class that keeps its values in backing data, in place of the storage of each property.
  var backed: [DeclSyntax] {
    [
      """
      private nonisolated(unsafe) var _$backingData: any SwiftData.BackingData<\(model.name)> = \(model.name).createBackingData()
      """,
      """
      \(visible)nonisolated var persistentBackingData: any SwiftData.BackingData<\(model.name)> {
      get { _$backingData }
      set { _$backingData = newValue }
      }
      """,
      """
      \(visible)nonisolated required init(backingData: any SwiftData.BackingData<\(model.name)>) {
      \(markers)
      self.persistentBackingData = backingData
      }
      """,
      ownMetadata, schemaMetadata, entity, access, withMutation,
    ].map { DeclSyntax(source: $0) }
  }

  /// Tells the compiler that the backing data has the values of all properties.
  private var markers: String {
    model.properties.map { property in
      property.conditionally("\(ModelProperty.usualStorageName(of: property.name)) = SwiftData._SwiftDataNoType()")
    }.joined(separator: "\n")
  }
}
