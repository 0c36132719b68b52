import ManagedModel

// A model's record says which attributes have columns of the type `jsonb` or of an array type. Attributes of a record without it have
// `bytea`, as in all stores of earlier versions.
extension ModelDescription {
  private static var key: String { "SwiftData.contents" }

  /// The model in the form of a record: the contents stand in the user info of the attributes.
  func recordingContents() -> ModelDescription {
    mappingAttributes { attribute, _ in
      attribute.changed { leaf in
        if let contents = leaf.contents { leaf.userInfo[Self.key] = .string(contents.word) }
      }
    }
  }

  /// The model of a record.
  func readingContents() -> ModelDescription {
    mappingAttributes { attribute, _ in
      attribute.changed { leaf in
        guard case .string(let name)? = leaf.userInfo.removeValue(forKey: Self.key) else { return }
        leaf.contents = AttributeContents(word: name)
      }
    }
  }
}

extension AttributeDescription {
  /// The attribute with a change of itself and of its elements, at any depth.
  fileprivate func changed(_ change: (inout AttributeDescription) -> Void) -> AttributeDescription {
    var result = self
    change(&result)
    result.elements = elements.map { $0.changed(change) }
    return result
  }
}
