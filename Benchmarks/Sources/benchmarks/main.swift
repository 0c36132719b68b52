import Foundation

// benchmarks [ROUNDS] [--processor-time] [--rows=N | --without-large] [--memory] [LINE…]
var measurement = Measurement()
var names: [String] = []
for argument in CommandLine.arguments.dropFirst() {
  switch argument {
  case "--processor-time": measurement.countsProcessorTime = true
  case "--without-large": LargeStore.rowCount = 0
  case "--memory":
    try Memory.printTable()
    Templates.remove()
    exit(0)
  case _ where argument.hasPrefix("--memory-of="):
    let folder = URL(fileURLWithPath: CommandLine.arguments.last ?? "")
    try Memory.measure(String(argument.dropFirst("--memory-of=".count)), in: folder)
    exit(0)
  case _ where argument.hasPrefix("--rows="):
    LargeStore.rowCount = Int(argument.dropFirst("--rows=".count)) ?? LargeStore.rowCount
  case _ where Int(argument) != nil: measurement.rounds = Int(argument) ?? measurement.rounds
  default: names.append(argument)
  }
}
let workloads = Workload.all
let unknown = names.filter { name in !workloads.contains { $0.name == name } }
guard unknown.isEmpty else {
  print(
    "no line is called \(unknown.joined(separator: ", ")); there are", workloads.map(\.name).joined(separator: ", "))
  exit(1)
}

let clock = measurement.countsProcessorTime ? ", processor time" : ""
print("Median of \(measurement.rounds) rounds\(clock); × is the time as a multiple of this package's.\n")
Table.printHeader()
for workload in workloads where names.isEmpty || names.contains(workload.name) {
  Table.printLine(workload, try measurement.medians(of: workload))
}
if names.isEmpty {
  print()
  try Memory.printTable()
}
Templates.remove()
