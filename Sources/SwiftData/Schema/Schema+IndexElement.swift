extension Schema {
  /// One element of a named index: a property or an expression, and its order.
  ///
  ///     #Index<Book>(.named("byYearAndTitle", [.descending(\.year), .ascending(\.title)]))
  ///
  /// Not in Apple's framework.
  public struct IndexElement<Root: PersistentModel>: Hashable {
    enum Subject: Hashable {
      case property(PartialKeyPath<Root>)
      case expression(String)
    }

    let subject: Subject
    var isAscending = true
    var isRegion = false

    /// Indexes a property, the smallest value first.
    public static func ascending(_ property: PartialKeyPath<Root>) -> Self { Self(subject: .property(property)) }
    /// Indexes a property, the largest value first.
    public static func descending(_ property: PartialKeyPath<Root>) -> Self {
      Self(subject: .property(property), isAscending: false)
    }
    /// Indexes a coordinate in an R-tree.
    public static func region(_ property: PartialKeyPath<Root>, isAscending: Bool = true) -> Self {
      Self(subject: .property(property), isAscending: isAscending, isRegion: true)
    }
    /// Indexes an expression in Core Data's format: `self` is the object, `entity` its entity.
    public static func expression(_ format: String, isAscending: Bool = true, isRegion: Bool = false) -> Self {
      Self(subject: .expression(format), isAscending: isAscending, isRegion: isRegion)
    }
  }
}

extension Schema.IndexElement {
  func declared(in model: ModelClass) throws -> DeclaredIndex.Element {
    switch subject {
    case .property(let keyPath):
      DeclaredIndex.Element(
        subject: try model.storedPath(of: keyPath), isAscending: isAscending, isRegion: isRegion)
    case .expression(let format):
      DeclaredIndex.Element(subject: format, isExpression: true, isAscending: isAscending, isRegion: isRegion)
    }
  }

  /// A decoded element; `nil` if the class has no property of its own with the name.
  init?(_ element: DeclaredIndex.Element, of model: ModelClass) {
    isAscending = element.isAscending
    isRegion = element.isRegion
    if element.isExpression {
      subject = .expression(element.subject)
    } else if let keyPath = model.property(stored: element.subject)?.keyPath as? PartialKeyPath<Root> {
      subject = .property(keyPath)
    } else {
      return nil
    }
  }

  /// The key path of an indexed property.
  var keyPath: PartialKeyPath<Root>? { if case .property(let keyPath) = subject { keyPath } else { nil } }
}
