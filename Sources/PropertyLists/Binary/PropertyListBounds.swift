package import Foundation

/// Whether an untrusted property list may be handed to Foundation, which makes a tree of it.
///
/// A binary one is a table whose containers may share what they hold: a few hundred bytes can stand for more values than
/// there is memory for, or for a tree without end. Metadata of real stores are some hundred values, three deep (CD-1.3).
package enum PropertyListBounds {
  private static let largestTree = 1_000_000
  private static let greatestDepth = 64

  package static func keeps(_ data: Data) -> Bool {
    // The other forms cannot share.
    guard data.starts(with: Data("bplist".utf8)) else { return true }
    guard let list = try? BinaryPropertyList(data) else { return false }
    var walk = Walk(objects: list.objects)
    return walk.size(of: list.top, depth: 0) != nil
  }

  private struct Walk {
    let objects: [BinaryPropertyList.Object]
    /// How many values an object stands for, itself included; long ones count more.
    var sizes: [Int: Int] = [:]

    init(objects: [BinaryPropertyList.Object]) { self.objects = objects }

    /// `nil` beyond the bounds, which every circle goes beyond.
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
