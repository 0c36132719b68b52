/// The vertical segments of lines in a gutter, the space between two columns. Each segment gets a track with few
/// crossings.
struct GutterTracks {
  private struct Stretch {
    var key: LinkRouter.Key
    var top: Int
    var bottom: Int
    /// The heights at which lines leave the segment on its left and right sides.
    var lefts: [Int]
    var rights: [Int]
    var track = 0
  }

  private var stretches: [Stretch] = []
  private var positions: [LinkRouter.Key: Int] = [:]
  private(set) var trackCount = 0

  /// Adds a segment of a line; segments with the same key become one.
  mutating func add(
    _ key: LinkRouter.Key, from start: Int, on origin: LinkRouter.Side, to end: Int, on goal: LinkRouter.Side
  ) {
    var stretch = Stretch(key: key, top: min(start, end), bottom: max(start, end), lefts: [], rights: [])
    for (y, side) in [(start, origin), (end, goal)] {
      if side == .left { stretch.lefts.append(y) } else { stretch.rights.append(y) }
    }
    if let position = positions[key] {
      stretches[position].top = min(stretches[position].top, stretch.top)
      stretches[position].bottom = max(stretches[position].bottom, stretch.bottom)
      stretches[position].lefts += stretch.lefts
      stretches[position].rights += stretch.rights
    } else {
      positions[key] = stretches.count
      stretches.append(stretch)
    }
  }

  func track(of key: LinkRouter.Key) -> Int { positions[key].map { stretches[$0].track } ?? 0 }

  /// Assigns a track to every segment; tracks are numbered from the left.
  mutating func assign() {
    let tracks = stretches.count > 150 ? tracksBySweep() : tracksByCrossings()
    trackCount = tracks.count
    for (number, track) in tracks.enumerated() {
      for index in track { stretches[index].track = number }
    }
  }

  /// Puts each segment on the first free track, from the top down.
  private func tracksBySweep() -> [[Int]] {
    var tracks: [[Int]] = []
    var ends: [Int] = []
    for index in stretches.indices.sorted(by: { (stretches[$0].top, $0) < (stretches[$1].top, $1) }) {
      let stretch = stretches[index]
      if let track = ends.firstIndex(where: { $0 + Grid.lane <= stretch.top }) {
        tracks[track].append(index)
        ends[track] = stretch.bottom
      } else {
        tracks.append([index])
        ends.append(stretch.bottom)
      }
    }
    return tracks
  }

  /// Places short segments first. Then takes each segment out and places it again among all others.
  private func tracksByCrossings() -> [[Int]] {
    let order = stretches.indices.sorted { first, second in
      (stretches[first].bottom - stretches[first].top, first)
        < (stretches[second].bottom - stretches[second].top, second)
    }
    var tracks: [[Int]] = []
    for index in order { place(index, in: &tracks) }
    for _ in 0..<3 {
      for index in order {
        for track in tracks.indices { tracks[track].removeAll { $0 == index } }
        tracks.removeAll(where: \.isEmpty)
        place(index, in: &tracks)
      }
    }
    return tracks
  }

  /// Puts a segment on the track, or between the two tracks, with the fewest crossings.
  private func place(_ index: Int, in tracks: inout [[Int]]) {
    let stretch = stretches[index]
    var best: (cost: Int, track: Int, isNew: Bool) = (Int.max, tracks.count, true)
    for track in tracks.indices {
      let isFree = tracks[track].allSatisfy {
        stretches[$0].bottom + Grid.lane <= stretch.top || stretch.bottom + Grid.lane <= stretches[$0].top
      }
      guard isFree else { continue }
      let cost = 4 * crossings(of: stretch, at: track, among: tracks, isNew: false)
      if cost < best.cost { best = (cost, track, false) }
    }
    for track in 0...tracks.count {
      let cost = 4 * crossings(of: stretch, at: track, among: tracks, isNew: true) + 5
      if cost < best.cost { best = (cost, track, true) }
    }
    if best.isNew { tracks.insert([index], at: best.track) } else { tracks[best.track].append(index) }
  }

  /// The number of lines that the segment and its ends would cross. A new track comes before the track of the same
  /// number.
  private func crossings(of stretch: Stretch, at track: Int, among tracks: [[Int]], isNew: Bool) -> Int {
    var count = 0
    for (number, others) in tracks.enumerated() where isNew || number != track {
      for index in others {
        let other = stretches[index]
        let (left, right) = number < track ? (other, stretch) : (stretch, other)
        count += left.rights.count { right.top < $0 && $0 < right.bottom }
        count += right.lefts.count { left.top < $0 && $0 < left.bottom }
      }
    }
    return count
  }
}
