extension PersistentModel {
  /// Makes backing data that keeps values by itself.
  ///
  /// Apple: `PersistentModel.createBackingData()`.
  public static func createBackingData<P: PersistentModel>() -> some BackingData<P> {
    StoredBackingData<P>(for: P.self)
  }
}

// Classes with `@Model`: the object's storage has the values.
extension PersistentModel where Self: _PersistentModelRoot {
  /// Makes an object with the values of backing data, reading each property once; it is in no context.
  ///
  /// Apple: `PersistentModel.init(backingData:)`.
  public init(backingData: any BackingData<Self>) {
    let outer = Materialization.begin()
    self.init(_$blank: _ModelPlace())
    Materialization.end(outer)
    takeValues(of: backingData)
  }

  /// A view of the object's values; assigning it copies the values of other backing data into the object.
  ///
  /// Apple: `PersistentModel.persistentBackingData`.
  public var persistentBackingData: any BackingData<Self> {
    get { ObjectBackingData(self) }
    set { takeValues(of: newValue) }
  }

  /// `nil`: the values are in the object.
  public var _$foreignBackingData: (any BackingData<Self>)? { nil }
}

// Classes whose source contains the expansion of Apple's macro: the values and the state are in the backing data.
extension PersistentModel {
  /// The class's entity has no arguments.
  public static var _$entity: _EntityOptions { _EntityOptions() }

  /// The backing data, if the program wrote its type.
  public var _$foreignBackingData: (any BackingData<Self>)? {
    let data = persistentBackingData
    return data is StoredBackingData<Self> ? nil : data
  }

  /// The state, which the backing data keeps.
  public var _$state: _ModelState {
    _read { yield stored.state }
    _modify { yield &stored.state }
  }

  /// Makes an object without values. Disfavored, as the initializer of a class with `@Model` is.
  @_disfavoredOverload
  public init(_$blank place: _ModelPlace) {
    let data: any BackingData<Self> = Self.createBackingData()
    self.init(backingData: data)
    _$state._take(place)
  }

  /// Reads all stored properties of a row, in the order of their indexes.
  public func _$read(from row: inout _RowReader) {
    let data = stored
    for property in ModelClass.of(Self.self).properties where !property.isTransient {
      data.box(property.index)?.read(from: &row)
    }
  }

  /// Writes the stored value of one property.
  public func _$write(_ property: Int, into row: inout _RowWriter) throws {
    try stored.box(property)?.write(of: self, at: property, into: &row)
  }

  /// Passes the storage of one property to a visitor.
  public func _$visit<Visitor: _PropertyVisitor>(_ property: Int, _ visitor: inout Visitor) {
    stored.box(property)?.visit(&visitor)
  }

  /// The values and the state.
  ///
  /// Values in backing data that the program wrote move into a ``StoredBackingData`` before a context takes the object.
  private var stored: StoredBackingData<Self> {
    let data = persistentBackingData
    if let stored = data as? StoredBackingData<Self> {
      stored.belong(to: self)
      return stored
    }
    let stored = StoredBackingData(for: Self.self)
    persistentBackingData = stored
    stored.belong(to: self)
    takeValues(of: data)
    return stored
  }
}
