import Foundation

/// Times of pieces of work that take turns, so that what disturbs the machine disturbs all of them.
struct Rounds {
  /// Median of each, in seconds.
  private(set) var medians: [Double] = []
  /// The most memory that the process had in each, in bytes.
  private(set) var peaks: [Int] = []

  /// The first round warms caches, and is not counted where others follow.
  init(_ count: Int, _ works: [() throws -> Void]) throws {
    var seconds = [[Double]](repeating: [], count: works.count)
    peaks = [Int](repeating: 0, count: works.count)
    for round in 0...count {
      for (index, work) in works.enumerated() {
        forgetPeakMemory()
        let start = Self.now()
        try work()
        if round > 0 { seconds[index].append(Self.now() - start) }
        peaks[index] = max(peaks[index], peakMemory())
      }
    }
    medians = seconds.map { $0.sorted()[$0.count / 2] }
  }

  /// The clock, or with `--processor-time` the processor's time of this process, on a machine that others use meanwhile.
  private static let clock =
    CommandLine.arguments.contains("--processor-time") ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC

  private static func now() -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

/// The most memory that this process has had since ``forgetPeakMemory()``, in bytes; 0 where the system does not say.
func peakMemory() -> Int {
  let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
  return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 } ?? 0
}

/// Begins a new peak (proc(5), `clear_refs`).
func forgetPeakMemory() {
  let file = open("/proc/self/clear_refs", O_WRONLY)
  guard file >= 0 else { return }
  _ = write(file, "5", 1)
  close(file)
}

/// Memory of this process that is in the machine's, in bytes; 0 where the system does not say.
func residentMemory() -> Int {
  guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
  let fields = text.split(separator: " ")
  return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) : 0
}
