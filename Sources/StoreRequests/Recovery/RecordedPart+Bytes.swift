extension RecordedPart: RecordedValue {
  package func write(to bytes: inout RecordBytes) {
    store.write(to: &bytes)
    storeName.write(to: &bytes)
    author.write(to: &bytes)
    contextName.write(to: &bytes)
    hasBatches.write(to: &bytes)
    entities.write(to: &bytes)
    insertions.write(to: &bytes)
    updates.write(to: &bytes)
    deletions.write(to: &bytes)
    links.write(to: &bytes)
  }

  package init(from bytes: inout RecordBytes) throws {
    store = try String(from: &bytes)
    storeName = try String(from: &bytes)
    author = try String?(from: &bytes)
    contextName = try String?(from: &bytes)
    hasBatches = try Int64(from: &bytes)
    entities = try [Entity](from: &bytes)
    insertions = try [Row](from: &bytes)
    updates = try [Row](from: &bytes)
    deletions = try [Object](from: &bytes)
    links = try [Link](from: &bytes)
  }
}

extension RecordedPart.Entity: RecordedValue {
  func write(to bytes: inout RecordBytes) { [name, shape].write(to: &bytes) }

  init(from bytes: inout RecordBytes) throws {
    let texts = try [String](from: &bytes)
    guard texts.count == 2 else { throw RecordBytes.Damage() }
    self.init(name: texts[0], shape: texts[1])
  }
}

extension RecordedPart.Object: RecordedValue {
  func write(to bytes: inout RecordBytes) {
    entity.write(to: &bytes)
    key.write(to: &bytes)
    version.write(to: &bytes)
    insertion.write(to: &bytes)
  }

  init(from bytes: inout RecordBytes) throws {
    self.init(
      entity: try Int64(from: &bytes), key: try Int64(from: &bytes), version: try Int64?(from: &bytes),
      insertion: try Int64?(from: &bytes))
  }
}

extension RecordedPart.Row: RecordedValue {
  func write(to bytes: inout RecordBytes) {
    object.write(to: &bytes)
    changedProperties.write(to: &bytes)
    columns.write(to: &bytes)
  }

  init(from bytes: inout RecordBytes) throws {
    self.init(
      object: try RecordedPart.Object(from: &bytes), changedProperties: try [String](from: &bytes),
      columns: try [RecordedPart.Column](from: &bytes))
  }
}

extension RecordedPart.Column: RecordedValue {
  func write(to bytes: inout RecordBytes) {
    name.write(to: &bytes)
    values.write(to: &bytes)
    object.write(to: &bytes)
  }

  init(from bytes: inout RecordBytes) throws {
    self.init(
      name: try String(from: &bytes), values: try [StoreValue]?(from: &bytes),
      object: try RecordedPart.Object?(from: &bytes))
  }
}

extension RecordedPart.Link: RecordedValue {
  func write(to bytes: inout RecordBytes) {
    owner.write(to: &bytes)
    relationship.write(to: &bytes)
    added.write(to: &bytes)
    removed.write(to: &bytes)
    order.write(to: &bytes)
  }

  init(from bytes: inout RecordBytes) throws {
    self.init(
      owner: try RecordedPart.Object(from: &bytes), relationship: try String(from: &bytes),
      added: try [RecordedPart.Object](from: &bytes), removed: try [RecordedPart.Object](from: &bytes),
      order: try [RecordedPart.Object]?(from: &bytes))
  }
}
