package import Foundation

/// Bounds an untrusted property list before Foundation unfolds it into a tree.
///
/// The containers of a binary list may share their contents: a few hundred bytes can unfold into more values than
/// memory holds, or into an endless tree. The metadata of real stores have some hundred values, nested three deep
/// (CD-1.3).
package enum PropertyListBounds {
  private static let largestTree = 1_000_000
  private static let greatestDepth = 64

  package static func keeps(_ data: Data) -> Bool {
    // Only binary lists can share values.
    guard data.starts(with: Data("bplist".utf8)) else { return true }
    guard let list = try? BinaryPropertyList(data) else { return false }
    var walk = Walk(objects: list.objects)
    return walk.size(of: list.top, depth: 0) != nil
  }

  private struct Walk {
    let objects: [BinaryPropertyList.Object]
    /// The number of values an object unfolds into, itself included. Long texts and data count more.
    var sizes: [Int: Int] = [:]

    init(objects: [BinaryPropertyList.Object]) { self.objects = objects }

    /// Returns `nil` beyond the bounds; every cycle is beyond them.
    mutating func size(of index: Int, depth: Int) -> Int? {
      guard depth < greatestDepth else { return nil }
      if let known = sizes[index] { return known }
      var total = 1
      var contents: [Int] = []
      switch objects[index] {
      case .array(let elements), .set(let elements): contents = elements
      case .dictionary(let keys, let values): contents = keys + values
      case .string(let text): total += text.utf8.count / 32
      case .data(let data): total += data.count / 32
      default: break
      }
      for child in contents {
        guard let size = size(of: child, depth: depth + 1) else { return nil }
        total += size
        guard total <= largestTree else { return nil }
      }
      sizes[index] = total
      return total
    }
  }
}
