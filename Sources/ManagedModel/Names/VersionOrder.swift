/// Orders the names of a bundle's versions, the oldest first: the version that is named like the bundle, then the others
/// in natural order.
///
/// Xcode names the first version like the bundle. Later names need not begin with that name, so that it may sort last.
package func versionOrder(inBundle bundle: String) -> (String, String) -> Bool {
  { left, right in
    guard left != right else { return false }
    return left == bundle || right == bundle ? left == bundle : naturalOrder(left, right)
  }
}
