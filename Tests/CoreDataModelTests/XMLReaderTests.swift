import Dispatch
import Foundation
import Synchronization
import Testing

@testable import CoreDataModel

@Suite("The XML reader")
struct XMLReaderTests {
  @Test("A tree has names, attributes in order, texts, children and lines")
  func tree() throws {
    let root = try XMLReader.read(
      Data("<a z=\"1\" y=\"&lt;&amp;&gt;&#x41;\">\n<b/>t<c>é<![CDATA[<&>]]></c><!-- x -->\n</a>".utf8))
    #expect(root.name == "a")
    #expect(root.line == 1)
    #expect(root.attributeNames == ["z", "y"])
    #expect(root[attribute: "y"] == "<&>A")
    #expect(root.children.map(\.name) == ["b", "c"])
    #expect(root.children.map(\.line) == [2, 2])
    #expect(root.children.last?.text == "é<&>")
    #expect(root.text == "\nt\n")
  }

  @Test("Prefixes stay part of the name")
  func prefixes() throws {
    let root = try XMLReader.read(Data("<x:a xmlns:x=\"urn:x\" x:b=\"1\"/>".utf8))
    #expect(root.name == "x:a")
    #expect(root[attribute: "x:b"] == "1")
  }

  @Test("Other encodings are read when they are declared", arguments: [String.Encoding.utf16, .isoLatin1])
  func encodings(encoding: String.Encoding) throws {
    let name = encoding == .utf16 ? "UTF-16" : "ISO-8859-1"
    let bytes = try #require("<?xml version=\"1.0\" encoding=\"\(name)\"?><a b=\"é\"/>".data(using: encoding))
    #expect(try XMLReader.read(bytes)[attribute: "b"] == "é")
  }

  @Test("Each limit refuses what is one more, and lets pass what is not")
  func limits() throws {
    let text = "<a x=\"\" y=\"\"><b><c/></b><d/></a>"
    let exact = XMLLimits(bytes: text.utf8.count, depth: 3, elements: 4, attributesPerElement: 2)
    #expect(try XMLReader.read(Data(text.utf8), limits: exact).children.count == 2)
    let smaller: [(WritableKeyPath<XMLLimits, Int>, XMLError.Cause)] = [
      (\.bytes, .tooLarge(limit: text.utf8.count - 1)), (\.depth, .tooDeep(limit: 2)),
      (\.elements, .tooManyElements(limit: 3)),
      (\.attributesPerElement, .tooManyAttributes(element: "a", limit: 1)),
    ]
    for (limit, cause) in smaller {
      var limits = exact
      limits[keyPath: limit] -= 1
      #expect(throws: XMLError(cause, line: 1)) { try XMLReader.read(Data(text.utf8), limits: limits) }
    }
  }

  @Test(
    "A document type that is skipped still declares nothing",
    arguments: [
      ("<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>"),
      ("<!DOCTYPE a [<!ENTITY % p SYSTEM \"file:///dev/zero\"> %p;]><a/>"),
      ("<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/hostname\" NDATA n>]><a/>"),
      ("<!DOCTYPE a SYSTEM \"http://127.0.0.1:1/a.dtd\"><a>&x;</a>"),
    ])
  func entities(text: String) throws {
    #expect(throws: XMLError(.entity, line: 1)) { try XMLReader.read(Data(text.utf8), documentType: .skipped) }
    #expect(throws: XMLError(.documentType, line: 1)) { try XMLReader.read(Data(text.utf8)) }
  }

  @Test("An external DTD is not loaded")
  func externalDTD() throws {
    let text = "<!DOCTYPE a SYSTEM \"file:///dev/zero\"><a b=\"1\"/>"
    #expect(try XMLReader.read(Data(text.utf8), documentType: .skipped)[attribute: "b"] == "1")
  }

  @Test("Every truncation and every single changed byte of a model gives a result or an error, never a crash")
  func mutations() throws {
    let text = modelText(
      "<entity name=\"E\" isAbstract=\"YES\"><attribute name=\"a\" attributeType=\"Decimal\" minValueString=\"1\"/></entity>"
    )
    let bytes = Data(text.utf8)
    var outcomes = (read: 0, refused: 0)
    func attempt(_ bytes: Data) {
      do throws(ModelReadingError) {
        _ = try ModelParser.parse(bytes, fileName: "contents")
        outcomes.read += 1
      } catch {
        #expect(!error.diagnostics.isEmpty)
        outcomes.refused += 1
      }
    }
    for length in 0..<bytes.count { attempt(bytes.prefix(length)) }
    for position in bytes.indices {
      for byte in [UInt8(0), UInt8(ascii: "<"), UInt8(ascii: "&"), UInt8(ascii: "\""), 0x80] {
        var changed = bytes
        changed[position] = byte
        attempt(changed)
      }
    }
    #expect(outcomes.read + outcomes.refused == bytes.count * 6)
    #expect(outcomes.read > 0)
    #expect(outcomes.refused > bytes.count)
  }

  @Test("Documents are read by many threads at a time, good and bad ones mixed")
  func threads() {
    let good = Data(modelText(String(repeating: "<entity name=\"E\"/>", count: 50)).utf8)
    let bad = Data("<model>\n<entity".utf8)
    let lines = Mutex<[Int]>([])
    DispatchQueue.concurrentPerform(iterations: 200) { index in
      do throws(XMLError) {
        let root = try XMLReader.read(index.isMultiple(of: 2) ? good : bad)
        lines.withLock { $0.append(root.children.count) }
      } catch {
        lines.withLock { $0.append(error.line) }
      }
    }
    #expect(lines.withLock { $0.sorted() } == Array(repeating: 2, count: 100) + Array(repeating: 50, count: 100))
  }
}
