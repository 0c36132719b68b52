import Foundation

/// Files that are no XML, or no XML that is read.
extension BadInput {
  static let malformed: [BadInput] = [
    .contents(
      "an empty file", "",
      says: "1: error: the file is empty — save the model again in Xcode, or restore the file from version control"),
    .contents(
      "blanks only", " \n\t\n",
      says: "3: error: the XML is not well-formed: Start tag expected, '<' not found"
        + " — save the model again in Xcode, or restore the file from version control"),
    .contents(
      "a tag cut off", "<model>\n<entity name=\"A",
      says: "2: error: the XML is not well-formed: AttValue: ' expected"
        + " — save the model again in Xcode, or restore the file from version control"),
    .contents(
      "an element cut off", "<model>\n<entity name=\"A\">\n",
      says: "3: error: the XML is not well-formed: Premature end of data in tag entity line 2"
        + " — save the model again in Xcode, or restore the file from version control"),
    .contents(
      "another root", "<?xml version=\"1.0\"?>\n<html><body/></html>",
      says: "2: error: the root element is “html”, not “model” — give the “contents” file of an .xcdatamodel"),
    .contents(
      "a root in a namespace", "<m:model xmlns:m=\"urn:m\"/>",
      says: "1: error: the root element is “m:model”, not “model” — give the “contents” file of an .xcdatamodel"),
    .contents(
      "JSON", "{\"model\": []}",
      says: "1: error: the XML is not well-formed: Start tag expected, '<' not found"
        + " — save the model again in Xcode, or restore the file from version control"),
    .contents(
      "a binary archive", bytes: Data("bplist00".utf8) + Data(count: 40),
      says: "1: error: the file is a binary archive, not XML — save the model in Xcode 4 or later, which writes XML"),
    .contents(
      "two roots", "<model/>\n<model/>",
      says: "2: error: the XML is not well-formed: Extra content at the end of the document"
        + " — save the model again in Xcode, or restore the file from version control"),
    .contents(
      "an attribute twice", "<model><entity name=\"A\" name=\"B\"/></model>",
      says: "1: error: the XML is not well-formed: Attribute name redefined"
        + " — save the model again in Xcode, or restore the file from version control"),
    .contents(
      "an element closed by another", "<model>\n<entity name=\"A\"></model></entity>",
      says: "2: error: the XML is not well-formed: Opening and ending tag mismatch: entity line 2 and model"
        + " — save the model again in Xcode, or restore the file from version control"),
    .contents(
      "an entity of no declaration", "<model>\n<entity name=\"&other;\"/></model>",
      says: "2: error: the XML is not well-formed: Entity 'other' not defined"
        + " — save the model again in Xcode, or restore the file from version control"),
    .contents(
      "entities that multiply",
      "<!DOCTYPE model [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;\"><!ENTITY c \"&b;&b;&b;&b;\">]>\n"
        + "<model><entity name=\"&c;\"/></model>",
      says: "1: error: the file has a document type declaration (<!DOCTYPE>) — remove it; Xcode writes none"),
    .contents(
      "an entity that reads a file", "<!DOCTYPE m [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><model>&x;</model>",
      says: "1: error: the file has a document type declaration (<!DOCTYPE>) — remove it; Xcode writes none"),
    .contents(
      "a document type from elsewhere", "<!DOCTYPE model SYSTEM \"http://127.0.0.1:9/m.dtd\"><model/>",
      says: "1: error: the file has a document type declaration (<!DOCTYPE>) — remove it; Xcode writes none"),
    .contents(
      "ten thousand levels", String(repeating: "<model>", count: 10_000) + String(repeating: "</model>", count: 10_000),
      says: "1: error: elements are nested more than 32 deep"
        + " — this is no model that Xcode wrote; check where the file comes from"),
    .contents(
      "two hundred attributes", "<model \((0..<200).map { "a\($0)=\"\"" }.joined(separator: " "))/>",
      says: "1: error: an element “model” has more than 128 attributes"
        + " — this is no model that Xcode wrote; check where the file comes from"),
    .contents(
      "a quarter of a million elements", "<model>" + String(repeating: "<a/>", count: 250_000) + "</model>",
      says: "1: error: the file has more than 250000 elements"
        + " — this is no model that Xcode wrote; check where the file comes from"
    ),
    .contents(
      "forty megabytes", bytes: Data(repeating: 32, count: 40 << 20),
      says: "1: error: the file is larger than 33554432 bytes"
        + " — this is no model that Xcode wrote; check where the file comes from"),
    .contents(
      "another encoding than stated", bytes: Data("<model a=\"".utf8) + Data([0xE9]) + Data("\"/>".utf8),
      says: "1: error: the XML is not well-formed: Input is not proper UTF-8, indicate encoding ! Bytes: 0xE9"
        + " 0x22 0x2F 0x3E"
        + " — save the model again in Xcode, or restore the file from version control"),
    .contents(
      "an unknown encoding", "<?xml version=\"1.0\" encoding=\"x-none\"?><model/>",
      says: "1: error: the XML is not well-formed: Unsupported encoding x-none"
        + " — save the model again in Xcode, or restore the file from version control"),
    .contents(
      "UTF-16 that is cut off",
      bytes: Data([0xFF, 0xFE]) + ("<model><entity name=\"A\"/>".data(using: .utf16LittleEndian) ?? Data()),
      says: "1: error: the XML is not well-formed: Premature end of data in tag model line 1"
        + " — save the model again in Xcode, or restore the file from version control"
    ),
    .contents(
      "a NUL", "<model><entity name=\"A\0B\"/></model>",
      says: "1: error: the XML is not well-formed: Char 0x0 out of allowed range"
        + " — save the model again in Xcode, or restore the file from version control"),
    .contents(
      "a character that XML has not", "<model><entity name=\"A&#0;\"/></model>",
      says: "1: error: the XML is not well-formed: xmlParseCharRef: invalid xmlChar value 0"
        + " — save the model again in Xcode, or restore the file from version control"),
    .contents(
      "a binary file", bytes: Data((0..<64).map { UInt8($0 * 37 % 256) }),
      says: "1: error: the XML is not well-formed: Document is empty"
        + " — save the model again in Xcode, or restore the file from version control"),
  ]
}
