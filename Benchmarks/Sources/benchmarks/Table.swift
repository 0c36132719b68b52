import Foundation

/// The lines of the comparison as a Markdown table; × is the time as a multiple of this package's.
enum Table {
  static func printHeader() {
    print("| work | " + Contestant.allCases.map(\.title).joined(separator: " | ") + " |")
    print("| --- |" + String(repeating: " ---: |", count: Contestant.allCases.count))
  }

  static func printLine(_ workload: Workload, _ medians: [Contestant: Double]) {
    let ours = medians[.swiftData] ?? 0
    let cells = Contestant.allCases.map { contestant in
      medians[contestant].map { "\(text($0)) (× \(String(format: "%.2f", $0 / ours)))" } ?? ""
    }
    print("| \(workload.title) | " + cells.joined(separator: " | ") + " |")
    fflush(nil)
  }

  private static func text(_ seconds: Double) -> String {
    switch seconds {
    case ..<1e-6: String(format: "%.1f ns", seconds * 1e9)
    case ..<1e-3: String(format: "%.1f µs", seconds * 1e6)
    case ..<1e-2: String(format: "%.2f ms", seconds * 1e3)
    default: String(format: "%.0f ms", seconds * 1e3)
    }
  }
}
