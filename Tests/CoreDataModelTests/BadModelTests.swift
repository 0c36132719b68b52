import Foundation
import ManagedModel
import Testing

@testable import CoreDataModel

/// What is wrong inside a file → the diagnostic, with its line.
@Suite("Malformed models")
struct BadModelTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: Data
    let severity: Diagnostic.Severity
    let line: Int
    /// What the diagnostic contains, its remedy included.
    let says: String
    /// Whether nothing at all can be read.
    let throwsError: Bool
  }

  @Test("Each malformed file gives the diagnostic that says where, what and what to do", arguments: cases)
  func diagnostic(_ example: Case) throws {
    let found: [Diagnostic]
    do throws(ModelReadingError) {
      found = try ModelParser.parse(example.bytes, fileName: "dir/contents").diagnostics
      #expect(!example.throwsError)
    } catch {
      found = error.diagnostics
      #expect(example.throwsError)
    }
    let match = found.first { $0.severity == example.severity && "\($0)".contains(example.says) }
    let diagnostic = try #require(match, "\(found.map(\.description))")
    #expect(diagnostic.line == example.line)
    #expect("\(diagnostic)".hasPrefix("dir/contents:\(example.line): \(example.severity.rawValue): "))
    #expect("\(diagnostic)".contains(" — "))
    #expect(!"\(diagnostic)".contains("\n"))
  }

  @Test("Problems are collected, in order of lines, up to a bound")
  func collected() throws {
    let parsed = try parse(
      """
      <entity name="A" parentEntity="Z"/>
      <entity/>
      <entity name="B"><attribute name="x" attributeType="Strin"/></entity>
      """)
    #expect(parsed.diagnostics.map(\.line) == [3, 4, 5])
    #expect(parsed.hasErrors)
    #expect(parsed.model.entities.map(\.name) == ["A", "B"])

    let many = try parse(String(repeating: "<entity><attribute/></entity>\n", count: 5_000))
    #expect(many.diagnostics.count < 1_000)
    #expect(many.diagnostics.contains { $0.problem.contains("more problems") })
  }

  @Test("A file of very many wrong names is refused as quickly as any other")
  func manyWrongNames() throws {
    func names(_ prefix: String, _ count: Int) -> [String] {
      (0..<count).map { String(repeating: prefix, count: 80) + "\($0)" }
    }
    let composites = names("x", 1_000).map {
      "<composite name=\"\($0)\"><attribute name=\"a\" attributeType=\"Date\"/></composite>"
    }
    let attributes = names("y", 5_000).map {
      "<attribute name=\"\($0)\" attributeType=\"Composite\" composite=\"\($0)\" \($0)=\"\"/>"
    }
    let parsed = try parse("<entity name=\"E\">\(attributes.joined())</entity>\(composites.joined())")
    #expect(parsed.hasErrors)
    #expect(parsed.diagnostics.count < 1_600)
  }

  @Test("An error after many warnings is not lost")
  func errorAfterWarnings() throws {
    let entry = "<entry value=\"v\"/>"
    let parsed = try parse(
      "<entity name=\"E\"><userInfo>" + String(repeating: entry, count: 2_000) + "</userInfo></entity><entity/>")
    #expect(parsed.hasErrors)
  }

  @Test("Unknown words are kept out of the way, each reported once with its first line and the nearest known one")
  func unknown() throws {
    let parsed = try parse(
      """
      <entity name="A" isAbstrct="YES"><attribute name="x" attributeType="String" vectorDimensions="3"/></entity>
      <entity name="B" isAbstrct="YES"><attribute name="y" attributeType="String"/><novelty><deep/></novelty></entity>
      <entity name="C"><novelty/></entity>
      """)
    #expect(
      parsed.diagnostics.map(\.description) == [
        "contents:3: warning: entity “A” has the attribute “isAbstrct”, which is not known "
          + "(did you mean “isAbstract”?) — nothing; it was left out, here and wherever else it occurs",
        "contents:3: warning: attribute “x” has the attribute “vectorDimensions”, which is not known — nothing; "
          + "it was left out, here and wherever else it occurs",
        "contents:4: warning: entity “B” contains an element “novelty”, which is not known there — nothing; "
          + "it was left out, here and wherever else it occurs",
      ])
    #expect(parsed.model.entities.map(\.name) == ["A", "B", "C"])
    #expect(parsed.model.entities.map(\.isAbstract) == [false, false, false])
  }

  @Test("Layout and namespace declarations are ignored")
  func ignored() throws {
    let text = modelText(
      "<entity name=\"E\"/><elements><element name=\"E\" positionX=\"1\" wobble=\"9\"/><x><y/></x></elements>")
    let named = text.replacingOccurrences(of: "<model ", with: "<model xmlns:x=\"urn:x\" ")
    let parsed = try ModelParser.parse(Data(named.utf8), fileName: "contents")
    #expect(parsed.diagnostics.isEmpty)
    #expect(parsed.model.entities == [EntityDescription(name: "E")])
  }
}

private func fatal(
  _ name: String, _ bytes: some Sequence<UInt8>, line: Int = 1, _ says: String
) -> BadModelTests.Case {
  BadModelTests.Case(
    testDescription: name, bytes: Data(bytes), severity: .error, line: line, says: says, throwsError: true)
}

private func error(_ name: String, _ inside: String, line: Int = 3, _ says: String) -> BadModelTests.Case {
  BadModelTests.Case(
    testDescription: name, bytes: Data(modelText(inside).utf8), severity: .error, line: line, says: says,
    throwsError: false)
}

private func warning(_ name: String, _ inside: String, line: Int = 3, _ says: String) -> BadModelTests.Case {
  BadModelTests.Case(
    testDescription: name, bytes: Data(modelText(inside).utf8), severity: .warning, line: line, says: says,
    throwsError: false)
}

private func attribute(_ tag: String) -> String { "<entity name=\"E\">\n<attribute name=\"a\" \(tag)/></entity>" }

private let entityBomb = """
  <?xml version="1.0"?>
  <!DOCTYPE model [
  <!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">
  ]>
  <model><entity name="&c;"/></model>
  """

/// Composites that each use the one before twice: 2^n elements.
private let compositeBomb =
  "<composite name=\"C0\"><attribute name=\"x\" attributeType=\"String\"/></composite>"
  + (1...15).map { level in
    let used = "attributeType=\"Composite\" composite=\"C\(level - 1)\""
    return "<composite name=\"C\(level)\"><attribute name=\"x\" \(used)/><attribute name=\"y\" \(used)/></composite>"
  }.joined()

private let cases: [BadModelTests.Case] = [
  // What is no XML, or not one to trust.
  fatal("empty file", [], "the file is empty"),
  fatal("blank file", "  \n\n".utf8, line: 3, "not well-formed"),
  fatal("binary archive", "bplist00\u{1}".utf8, "binary archive"),
  fatal("text that is no XML", "hello".utf8, "not well-formed"),
  fatal("truncated in a tag", "<model>\n<entity name=\"A".utf8, line: 2, "not well-formed"),
  fatal("truncated between tags", "<model>\n<entity name=\"A\">\n".utf8, line: 3, "not well-formed"),
  fatal("tags that cross", "<model>\n<entity></model></entity>".utf8, line: 2, "not well-formed"),
  fatal("an attribute twice", "<model>\n<entity name=\"A\" name=\"B\"/></model>".utf8, line: 2, "not well-formed"),
  fatal("two roots", "<model/>\n<model/>".utf8, line: 2, "not well-formed"),
  fatal("another root", "<?xml version=\"1.0\"?>\n<plist/>".utf8, line: 2, "root element is “plist”"),
  fatal("a NUL byte", "<model>\n<entity name=\"A\u{0}B\"/></model>".utf8, line: 2, "not well-formed"),
  fatal("a control character", "<model>\n<entity name=\"A&#1;B\"/></model>".utf8, line: 2, "not well-formed"),
  fatal(
    "bytes that are no UTF-8", Array("<model>\n<entity name=\"".utf8) + [0xFF, 0xFE] + Array("\"/></model>".utf8),
    line: 2, "not well-formed"),
  fatal("an unknown encoding", "<?xml version=\"1.0\" encoding=\"EBCDIC-9\"?><model/>".utf8, "not well-formed"),
  fatal(
    "an encoding that is not the real one", "<?xml version=\"1.0\" encoding=\"UTF-16\"?><model/>".utf8,
    "not well-formed"),
  fatal("an entity bomb", entityBomb.utf8, line: 2, "<!DOCTYPE>"),
  fatal(
    "an external entity",
    "<!DOCTYPE model [<!ENTITY x SYSTEM \"file:///etc/hostname\">]>\n<model><entity name=\"&x;\"/></model>".utf8,
    "<!DOCTYPE>"),
  fatal("an external DTD", "<!DOCTYPE model SYSTEM \"http://127.0.0.1:1/x.dtd\">\n<model/>".utf8, "<!DOCTYPE>"),
  fatal("an entity without a declaration", "<model>\n<entity name=\"&x;\"/></model>".utf8, line: 2, "not well-formed"),
  fatal(
    "deep nesting", "<model>\(String(repeating: "<a>\n", count: 50_000))".utf8, line: 32, "nested more than 32 deep"),
  fatal(
    "very many elements", "<model>\(String(repeating: "<a/>\n", count: 260_000))</model>".utf8, line: 250_000,
    "more than 250000 elements"),
  fatal(
    "very many attributes",
    "<model \((0..<10_000).map { "a\($0)=\"\"" }.joined(separator: " "))/>".utf8, "more than 128 attributes"),
  fatal("very many bytes", Data(repeating: UInt8(ascii: " "), count: (32 << 20) + 1), "larger than"),

  // What is no model.
  error("an entity without a name", "<entity/>", "an entity has no name"),
  error("an entity with an empty name", "<entity name=\"\"/>", "has no name"),
  error("two entities of one name", "<entity name=\"E\"/>\n<entity name=\"E\"/>", line: 4, "more than one entity"),
  error(
    "two properties of one name",
    "<entity name=\"E\">\n<attribute name=\"a\" attributeType=\"Date\"/>\n<relationship name=\"a\" destinationEntity=\"E\"/>"
      + "</entity>", line: 5, "more than one property named “a”"),
  error(
    "an attribute without a name", "<entity name=\"E\">\n<attribute/></entity>", line: 4, "of entity “E” has no name"),
  error("an unknown type", attribute("attributeType=\"Integer 8\""), line: 4, "did you mean “Integer 16”?"),
  warning("a stored attribute without a type", attribute(""), line: 4, "its type is undefined"),
  error(
    "a flag that is neither", attribute("attributeType=\"String\" optional=\"MAYBE\""), line: 4, "neither YES nor NO"),
  error(
    "a superentity that is not there", "<entity name=\"E\" parentEntity=\"Itme\"/><entity name=\"Item\"/>", "“Item”?"),
  error(
    "superentities in a circle", "<entity name=\"A\" parentEntity=\"B\"/>\n<entity name=\"B\" parentEntity=\"A\"/>",
    line: 3, "form a circle"),
  error("an entity that is its own superentity", "<entity name=\"A\" parentEntity=\"A\"/>", "form a circle"),
  error(
    "a relationship without a destination", "<entity name=\"E\">\n<relationship name=\"r\"/></entity>", line: 4,
    "has no destination"),
  error(
    "a destination that is not there",
    "<entity name=\"E\">\n<relationship name=\"r\" destinationEntity=\"Autor\"/></entity><entity name=\"Author\"/>",
    line: 4,
    "did you mean “Author”?"),
  error(
    "an inverse that is not there",
    "<entity name=\"E\">\n<relationship name=\"r\" destinationEntity=\"E\" inverseName=\"q\" inverseEntity=\"E\"/></entity>",
    line: 4, "inverse “q” is not a relationship"),
  error(
    "an unknown delete rule",
    "<entity name=\"E\">\n<relationship name=\"r\" destinationEntity=\"E\" deletionRule=\"Cascad\"/></entity>", line: 4,
    "did you mean “Cascade”?"),
  error(
    "a negative count",
    "<entity name=\"E\">\n<relationship name=\"r\" destinationEntity=\"E\" maxCount=\"-1\"/></entity>", line: 4,
    "not a count"),
  error(
    "a huge count",
    "<entity name=\"E\">\n<relationship name=\"r\" destinationEntity=\"E\" maxCount=\"99999999999999999999\"/></entity>",
    line: 4, "from 0 to 2147483647"),
  warning(
    "counts the wrong way round",
    "<entity name=\"E\">\n<relationship name=\"r\" destinationEntity=\"E\" toMany=\"YES\" minCount=\"3\" maxCount=\"2\"/></entity>",
    line: 4, "the minimum count 3 and the maximum count 2 exclude each other"),
  warning(
    "a default that is no number", attribute("attributeType=\"Integer 32\" defaultValueString=\"ten\""), line: 4,
    "not a whole number"),
  warning(
    "a default that is too large", attribute("attributeType=\"Integer 16\" defaultValueString=\"40000\""), line: 4,
    "from -32768 to 32767"),
  warning(
    "a number with a tail", attribute("attributeType=\"Decimal\" defaultValueString=\"12abc\""), line: 4,
    "decimal number"),
  warning(
    "a decimal that would be rounded",
    attribute("attributeType=\"Decimal\" defaultValueString=\"0.\(String(repeating: "7", count: 39))\""), line: 4,
    "at most 38 digits"),
  warning(
    "a number that is not finite", attribute("attributeType=\"Double\" defaultValueString=\"1e999\""), line: 4,
    "a number"),
  warning(
    "a float that is too large", attribute("attributeType=\"Float\" maxValueString=\"1e39\""), line: 4, "maximum"),
  warning(
    "a date in words", attribute("attributeType=\"Date\" defaultDateTimeInterval=\"today\""), line: 4, "seconds since"),
  warning("a broken UUID", attribute("attributeType=\"UUID\" defaultValueString=\"1234\""), line: 4, "a UUID"),
  warning(
    "a broken Boolean", attribute("attributeType=\"Boolean\" defaultValueString=\"perhaps\""), line: 4, "YES or NO"),
  warning("a negative length", attribute("attributeType=\"String\" minValueString=\"-1\""), line: 4, "minimum"),
  warning(
    "a Boolean that was a number", attribute("attributeType=\"Boolean\" defaultValueString=\"2\""), line: 4,
    "write YES or NO"),
  warning(
    "a default that was a Boolean", attribute("attributeType=\"Integer 32\" defaultValueString=\"NO\""), line: 4,
    "left from another type"),
  warning(
    "a default of a type that has none", attribute("attributeType=\"Binary\" defaultValueString=\"x\""), line: 4,
    "has no meaning for a Binary"),
  error(
    "a derivation without an expression", attribute("attributeType=\"Date\" derived=\"YES\""), line: 4, "no derivation"),
  error("a composite without a name", attribute("attributeType=\"Composite\""), line: 4, "names no composite type"),
  error(
    "a composite that is not there",
    attribute("attributeType=\"Composite\" composite=\"Adress\"") + "<composite name=\"Address\"/>", line: 4,
    "did you mean “Address”?"),
  error(
    "composites in a circle",
    "<composite name=\"A\">\n<attribute name=\"x\" attributeType=\"Composite\" composite=\"B\"/></composite>"
      + "<composite name=\"B\">\n<attribute name=\"x\" attributeType=\"Composite\" composite=\"A\"/></composite>",
    line: 5,
    "in a circle"),
  error("a composite bomb", compositeBomb, "more than 1000 elements"),
  error(
    "an index of nothing", "<entity name=\"E\">\n<fetchIndex name=\"i\">\n<fetchIndexElement/></fetchIndex></entity>",
    line: 5, "neither a property nor an expression"),
  error(
    "an index of a property that is not there",
    "<entity name=\"E\">\n<fetchIndex name=\"i\"><fetchIndexElement property=\"a\" type=\"Binary\" order=\"ascending\"/>"
      + "</fetchIndex></entity>", line: 4, "index “i” names “a”"),
  error(
    "an index of an unknown type",
    "<entity name=\"E\">\n<fetchIndex name=\"i\"><fetchIndexElement expression=\"self\" type=\"Hash\"/></fetchIndex></entity>",
    line: 4, "“Hash”"),
  error(
    "a constraint of a property that is not there",
    "<entity name=\"E\"><uniquenessConstraints><uniquenessConstraint><constraint value=\"a\"/></uniquenessConstraint>"
      + "</uniquenessConstraints></entity>", "uniqueness constraint names “a”"),
  error(
    "a constraint without a value",
    "<entity name=\"E\"><uniquenessConstraints><uniquenessConstraint>\n<constraint/></uniquenessConstraint>"
      + "</uniquenessConstraints></entity>", line: 4, "without a “value”"),
  error(
    "a configuration of nothing", "\n<configuration name=\"c\"><memberEntity name=\"E\"/></configuration>", line: 4,
    "configuration “c” names entity “E”"),
  warning("a fetch request of nothing", "\n<fetchRequest name=\"f\" entity=\"E\"/>", line: 4, "names entity “E”"),
  error("a fetch request without an entity", "<fetchRequest name=\"f\"/>", "names no entity"),
  error(
    "a fetched property without a request", "<entity name=\"E\">\n<fetchedProperty name=\"p\"/></entity>", line: 4,
    "has no fetch request"),
  warning(
    "a user-info entry without a key", "<entity name=\"E\"><userInfo>\n<entry value=\"1\"/></userInfo></entity>",
    line: 4, "has no key"),
  warning("an unknown attribute", "<entity name=\"E\" novelty=\"1\"/>", "attribute “novelty”, which is not known"),
  warning("an unknown element", "<entity name=\"E\">\n<method/></entity>", line: 4, "element “method”"),
  BadModelTests.Case(
    testDescription: "a document of another type", bytes: Data("<model type=\"com.example\"/>".utf8),
    severity: .warning,
    line: 1, says: "not that of a Core Data model", throwsError: false),
  BadModelTests.Case(
    testDescription: "a document of another version", bytes: Data("<model documentVersion=\"2.0\"/>".utf8),
    severity: .warning, line: 1, says: "1.0 is known", throwsError: false),
]
