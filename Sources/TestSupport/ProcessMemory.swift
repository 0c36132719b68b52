import Foundation

/// The memory of this process.
package enum ProcessMemory {
  /// The bytes that are in the machine's memory; 0 where the system does not say.
  package static var resident: Int {
    let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) : 0
  }
}
