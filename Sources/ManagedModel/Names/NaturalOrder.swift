/// Orders names as people number versions: runs of digits by their value, letters without regard to case.
///
/// `Model` < `Model 2` < `Model 10`. If two names are equal in this order, code units decide.
package func naturalOrder(_ left: String, _ right: String) -> Bool {
  var one = Substring(left.lowercased()).unicodeScalars
  var other = Substring(right.lowercased()).unicodeScalars
  while let first = one.first, let second = other.first {
    if isDigit(first), isDigit(second) {
      let (number, otherNumber) = (takeNumber(&one), takeNumber(&other))
      if number.count != otherNumber.count { return number.count < otherNumber.count }
      for (digit, otherDigit) in zip(number, otherNumber) where digit != otherDigit { return digit < otherDigit }
    } else if first != second {
      return first < second
    } else {
      one.removeFirst()
      other.removeFirst()
    }
  }
  if one.isEmpty != other.isEmpty { return one.isEmpty }
  return left.utf16.lexicographicallyPrecedes(right.utf16)
}

private func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

/// Removes a run of digits and returns it without leading zeros.
private func takeNumber(_ text: inout Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
  let digits = text.prefix(while: isDigit)
  text.removeFirst(digits.count)
  return digits.drop { $0 == "0" }
}
