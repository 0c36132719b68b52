import PropertyLists
import Testing

/// The writer of JSON, beside its reader.
@Suite struct JSONWriterTests {
  @Test("Commas, colons and brackets stand between values, at each depth")
  func structure() {
    var writer = JSONWriter()
    writer.object { writer in
      writer.write(key: "a")
      writer.list { list in
        list.write(number: 7 as Int64)
        list.write(number: 7.5)
        list.write(digits: "1.50")
        list.write(number: -Double.infinity)
        list.list { _ in }
        list.object { _ in }
      }
      writer.startLine()
      writer.write(key: "b")
      writer.writeNull()
      writer.write(key: "c")
      writer.write(flag: true)
    }
    writer.endDocument()
    writer.write(flag: false)
    let text = String(decoding: writer.bytes, as: UTF8.self)
    #expect(text == #"{"a":[7,7.5,1.50,"-Infinity",[],{}],"# + "\n" + #""b":null,"c":true}"# + "\nfalse")
  }

  @Test("A part that was taken out leaves its place in the document")
  func parts() {
    var writer = JSONWriter()
    writer.beginList()
    writer.write(text: "a")
    writer.removeAll()
    writer.write(text: "b")
    writer.endList()
    #expect(String(decoding: writer.bytes, as: UTF8.self) == #","b"]"#)
  }

  @Test("Control characters are escaped as JSON requires, or as terminals need")
  func escapes() throws {
    let text = "\"\\\u{1}\n\r\t\u{7F}\u{85}é"
    for (escapes, expected) in [
      (JSONWriter.Escapes.required, "\"\\\"\\\\\\u0001\\u000a\\u000d\\u0009\u{7F}\u{85}é\""),
      (.forTerminals, "\"\\\"\\\\\\u0001\\n\\r\\t\\u007f\\u0085é\""),
    ] {
      var writer = JSONWriter(escaping: escapes)
      writer.write(text: text)
      #expect(writer.bytes == Array(expected.utf8))
      guard case .text(let read) = try JSONReader.read(writer.bytes[...]).value else {
        Issue.record("no text")
        continue
      }
      #expect(Array(read.utf8) == Array(text.utf8))
    }
  }
}
