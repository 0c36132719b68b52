/// The last step of a key path as source code.
func sketch(_ keyPath: AnyKeyPath) -> String {
  if let model = type(of: keyPath).rootType as? any PersistentModel.Type,
    let property = ModelClass.of(model).byKeyPathProperty(keyPath)
  {
    return property.name
  }
  let text = "\(keyPath)"
  let root = "\\\(type(of: keyPath).rootType)."
  let tail = text.hasPrefix(root) ? String(text.dropFirst(root.count)) : text
  return tail.contains("<computed")
    ? "(a property of type \(type(of: keyPath).valueType))" : tail
}
