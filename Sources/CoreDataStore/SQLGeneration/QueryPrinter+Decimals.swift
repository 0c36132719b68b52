import Foundation
import ManagedModel
import SQLite
import StoreRequests

// Decimal numbers are stored as doubles, and some stored doubles are not the nearest one. Every double that reads as
// the requested number equals it, in SQL as in memory (CD-5).
extension QueryPrinter {
  /// The comparison of a decimal attribute with a constant that several doubles represent; `nil` for any other
  /// comparison.
  mutating func decimalComparison(
    _ comparison: FetchExpression.Comparison, _ left: FetchExpression, _ right: FetchExpression, isNegated: Bool,
    depth: Int
  ) throws -> String? {
    let operand: FetchExpression
    let constant: StoreValue
    var comparison = comparison
    switch (left, right) {
    case (.attribute, .constant(let value)): (operand, constant) = (left, value)
    case (.constant(let value), .attribute): (operand, constant, comparison) = (right, value, comparison.swapped)
    default: return nil
    }
    guard try isDecimal(operand) else { return nil }
    dependsOnValues = true
    guard let doubles = DecimalDoubles(of: constant) else { return nil }
    let sql = try value(operand, depth: depth)
    let test =
      switch comparison {
      case .equal, .notEqual: within(doubles, sql)
      case .less: "\(sql) < \(placeholder(.real(doubles.lowest)))"
      case .lessOrEqual: "\(sql) <= \(placeholder(.real(doubles.highest)))"
      case .greater: "\(sql) > \(placeholder(.real(doubles.highest)))"
      case .greaterOrEqual: "\(sql) >= \(placeholder(.real(doubles.lowest)))"
      }
    return isNegated != (comparison == .notEqual) ? "(\(test)) IS NOT TRUE" : test
  }

  /// Whether a decimal attribute is among constants, some of which several doubles represent; `nil` for any other
  /// expression.
  mutating func decimalMembership(
    _ operand: FetchExpression, _ constants: [StoreValue], isNegated: Bool, depth: Int
  ) throws -> String? {
    guard case .attribute = operand, try isDecimal(operand) else { return nil }
    dependsOnValues = true
    let doubles = constants.count > Self.rangeLimit ? [] : constants.map { DecimalDoubles(of: $0) }
    guard doubles.isEmpty || doubles.contains(where: { $0 != nil }) else { return nil }
    let sql = try value(operand, depth: depth)
    if doubles.isEmpty {
      let known = constants.filter { $0 != .null }.map(\.usualDecimal)
      let test = "\(SQLText.usualDecimal)(\(sql)) IN (\(list(known)))"
      let any = known.count == constants.count ? test : "(\(test) OR \(sql) IS NULL)"
      return isNegated ? "(\(any)) IS NOT TRUE" : any
    }
    // An omitted term must bind nothing, and values are bound in the order of the text.
    let tests = zip(constants, doubles).map { constant, doubles in
      if let doubles { return within(doubles, sql) }
      return constant == .null ? "\(sql) IS NULL" : "\(sql) = \(placeholder(constant))"
    }
    let test = balanced(tests[...], operation: "OR")
    return isNegated ? "(\(test)) IS NOT TRUE" : test
  }

  /// Above this number of constants, the column's value is looked up among them in its usual form. Fewer are compared one by one,
  /// as ranges, which can use an index.
  private static var rangeLimit: Int { 64 }

  private mutating func within(_ doubles: DecimalDoubles, _ sql: String) -> String {
    "\(sql) BETWEEN \(placeholder(.real(doubles.lowest))) AND \(placeholder(.real(doubles.highest)))"
  }
}

extension StoreValue {
  /// The form in which a save stores the decimal number that a value of a column reads as; other values stay.
  var usualDecimal: StoreValue {
    switch self {
    case .real: Decimal(self).map { StoreValue($0) } ?? self
    case .null, .integer, .text, .blob: self
    }
  }
}

/// The doubles that read as one decimal number of at most 12 digits: see `Decimal.init(_:)`.
struct DecimalDoubles: Hashable {
  let lowest: Double
  let highest: Double

  /// `nil` if only one stored value reads as the constant's number.
  init?(of constant: StoreValue) {
    let double: Double
    switch constant {
    case .integer(let number): double = Double(number)
    case .real(let number): double = number
    case .null, .text, .blob: return nil
    }
    guard double.isFinite, let number = Decimal(constant), number != 0 else { return nil }
    let magnitude = double.magnitude
    func reads(_ candidate: Double) -> Bool {
      Decimal(.real(double < 0 ? -candidate : candidate)) == number
    }
    guard reads(magnitude.nextUp) || reads(magnitude.nextDown) else { return nil }
    let near = Self.last(from: magnitude, downwards: true, reads)
    let far = Self.last(from: magnitude, downwards: false, reads)
    (lowest, highest) = double < 0 ? (-far, -near) : (near, far)
  }

  /// The last double in a direction that fits. The doubles that fit are adjacent.
  private static func last(from start: Double, downwards: Bool, _ fits: (Double) -> Bool) -> Double {
    func double(_ steps: UInt64) -> Double {
      Double(bitPattern: downwards ? start.bitPattern - min(steps, start.bitPattern) : start.bitPattern + steps)
    }
    var fitting: UInt64 = 0
    var step: UInt64 = 1
    while step < 1 << 20, fits(double(fitting + step)) {
      fitting += step
      step *= 2
    }
    while step > 1 {
      step /= 2
      if fits(double(fitting + step)) { fitting += step }
    }
    return double(fitting)
  }
}

extension QueryPrinter {
  private mutating func isDecimal(_ expression: FetchExpression) throws -> Bool {
    guard case .attribute(let path, let name, let element) = expression else { return false }
    let row = try row(path.variable, path.steps)
    return try layout.attributeColumn(name, element: element, of: entity(path, at: row)).attribute.type == .decimal
  }
}
