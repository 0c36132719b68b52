import ManagedModel
import Testing

@Suite("The order of names")
struct CodeUnitOrderTests {
  @Test(
    "VH-2 Names are ordered by UTF-16 code unit, in which U+FF61 comes after characters that take two units",
    arguments: [
      ("", "a"), ("B", "a"), ("a", "ab"), ("z", "é"), ("é", "\u{D7FF}"), ("\u{1F600}", "\u{FF61}"),
      ("x\u{10000}", "x\u{E000}"), ("\u{FF61}a", "\u{FF61}b"), ("\u{1F600}", "\u{1F601}"),
    ])
  func byCodeUnit(lesser: String, greater: String) {
    #expect(codeUnitOrder(lesser, greater))
    #expect(!codeUnitOrder(greater, lesser))
    #expect(!codeUnitOrder(lesser, lesser))
    #expect(lesser.utf16.lexicographicallyPrecedes(greater.utf16))
  }
}
