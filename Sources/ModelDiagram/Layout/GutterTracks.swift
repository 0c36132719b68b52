/// The vertical stretches of lines in a gutter, each on a track that crosses as few others as can be found quickly.
struct GutterTracks {
  private struct Stretch {
    var key: LinkRouter.Key
    var top: Int
    var bottom: Int
    /// Where lines leave the stretch to the left and to the right.
    var lefts: [Int]
    var rights: [Int]
    var track = 0
  }

  private var stretches: [Stretch] = []
  private var positions: [LinkRouter.Key: Int] = [:]
  private(set) var trackCount = 0

  /// Adds a line's stretch; stretches of one key become one.
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

  /// Gives every stretch a track, from the left.
  mutating func assign() {
    let order = stretches.indices.sorted { first, second in
      (stretches[first].bottom - stretches[first].top, first)
        < (stretches[second].bottom - stretches[second].top, second)
    }
    var tracks: [[Int]] = []
    if stretches.count > 150 {
      for index in order { place(index, in: &tracks, isCareful: false) }
    } else {
      for index in order { place(index, in: &tracks, isCareful: true) }
      for _ in 0..<3 {
        for index in order {
          for track in tracks.indices { tracks[track].removeAll { $0 == index } }
          tracks.removeAll(where: \.isEmpty)
          place(index, in: &tracks, isCareful: true)
        }
      }
    }
    trackCount = tracks.count
    for (number, track) in tracks.enumerated() {
      for index in track { stretches[index].track = number }
    }
  }

  /// Puts a stretch on the track, or between the two tracks, where it crosses fewest others.
  private func place(_ index: Int, in tracks: inout [[Int]], isCareful: Bool) {
    let stretch = stretches[index]
    var best: (cost: Int, track: Int, isNew: Bool) = (Int.max, tracks.count, true)
    for track in tracks.indices {
      let isFree = tracks[track].allSatisfy {
        stretches[$0].bottom + Grid.lane <= stretch.top || stretch.bottom + Grid.lane <= stretches[$0].top
      }
      guard isFree else { continue }
      let cost = isCareful ? 4 * crossings(of: stretch, at: track, among: tracks, isNew: false) : 0
      if cost < best.cost { best = (cost, track, false) }
    }
    if isCareful || best.isNew {
      for track in isCareful ? 0...tracks.count : tracks.count...tracks.count {
        let cost = isCareful ? 4 * crossings(of: stretch, at: track, among: tracks, isNew: true) + 5 : 0
        if cost < best.cost { best = (cost, track, true) }
      }
    }
    if best.isNew { tracks.insert([index], at: best.track) } else { tracks[best.track].append(index) }
  }

  /// How many lines the stretch and its ends would cross; a new track comes before the one whose number it has.
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
