import Foundation

/// Folders that are no bundle of versions, or that say wrongly what they hold.
extension BadInput {
  static let bundles: [BadInput] = [
    BadInput(
      "an empty bundle", "M.xcdatamodeld",
      says: "M.xcdatamodeld:1: error: the folder holds no version of a model"
        + " — name an .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store"
    ) { try $0.makeFolder("M.xcdatamodeld") },
    BadInput(
      "a version without contents", "M.xcdatamodeld",
      says: "M.xcdatamodeld/1.xcdatamodel:1: error: the folder has no “contents” file"
        + " — restore it from version control, or save it in Xcode"
    ) {
      try $0.makeFolder("M.xcdatamodeld/1.xcdatamodel")
    },
    BadInput(
      "one broken version of two", "M.xcdatamodeld",
      says: "M.xcdatamodeld:1: warning: the bundle does not record its current version"
        + " — choose the current version in Xcode; “2” was taken",
      "M.xcdatamodeld/2.xcdatamodel/contents:1: error: the XML is not well-formed: Premature end of data"
        + " in tag model line 1"
        + " — save the model again in Xcode, or restore the file from version control"
    ) {
      try $0.twoVersions()
      try $0.write("<model>", to: "M.xcdatamodeld/2.xcdatamodel/contents")
    },
    BadInput(
      "a version that is a file", "M.xcdatamodeld",
      says: "M.xcdatamodeld/1.xcdatamodel:1: error: this is a file, not a folder"
        + " — give an .xcdatamodeld or .xcdatamodel folder"
    ) {
      try $0.write(soundModel, to: "M.xcdatamodeld/1.xcdatamodel")
    },
    BadInput(
      "contents that are a folder", "M.xcdatamodel",
      says: "M.xcdatamodel/contents:1: error: this is a folder, not a file"
        + " — put a file in its place, as Xcode writes it"
    ) {
      try $0.makeFolder("M.xcdatamodel/contents")
    },
    BadInput(
      "contents that are a pipe", "M.xcdatamodel",
      says: "M.xcdatamodel/contents:1: error: this is a pipe or a device, not a file"
        + " — put a file in its place, as Xcode writes it"
    ) {
      try $0.makeFolder("M.xcdatamodel")
      mkfifo($0.place("M.xcdatamodel/contents").path, 0o600)
    },
    BadInput(
      "contents that lead in a circle", "M.xcdatamodel",
      says: "M.xcdatamodel/contents:1: error: this is a link that leads nowhere"
        + " — correct the link, or put a file in its place, as Xcode writes it"
    ) {
      try $0.link("M.xcdatamodel/contents", to: "contents")
    },
    BadInput(
      "contents that lead nowhere", "M.xcdatamodel",
      says: "M.xcdatamodel/contents:1: error: this is a link that leads nowhere"
        + " — correct the link, or put a file in its place, as Xcode writes it"
    ) {
      try $0.link("M.xcdatamodel/contents", to: "../gone")
    },
    BadInput(
      "contents that lead to a device", "M.xcdatamodel",
      says: "M.xcdatamodel/contents:1: error: this is a pipe or a device, not a file"
        + " — put a file in its place, as Xcode writes it"
    ) {
      try $0.link("M.xcdatamodel/contents", to: "/dev/zero")
    },
    BadInput(
      "a damaged model of Xcode 3", "M.xcdatamodel",
      says: "M.xcdatamodel/elements:1: error: the archive of the model is damaged: it ends too early (at byte 8)"
        + " — restore it from version control, or compile the model with momc and give the .mom"
    ) {
      try $0.write("bplist00", to: "M.xcdatamodel/elements")
    },
    BadInput(
      "a choice that is no list", "M.xcdatamodeld",
      says: "M.xcdatamodeld/.xccurrentversion:1: warning: the XML is not well-formed: Premature end of data in"
        + " tag dict line 1"
        + " — choose the current version in Xcode; “2” was taken",
      "M.xcdatamodeld/1.xcdatamodel/contents:1: note: the version has the same entity hashes as “2”, which"
        + " stands for both in the migration plan"
        + " — nothing: both versions use the same stores", status: 0
    ) {
      try $0.twoVersions(choice: "<plist><dict>")
    },
    BadInput(
      "a choice of nothing", "M.xcdatamodeld",
      says: "M.xcdatamodeld/.xccurrentversion:1: warning: the list names no current version"
        + " — choose the current version in Xcode; “2” was taken",
      "M.xcdatamodeld/1.xcdatamodel/contents:1: note: the version has the same entity hashes as “2”, which"
        + " stands for both in the migration plan"
        + " — nothing: both versions use the same stores", status: 0
    ) {
      try $0.twoVersions(choice: "<plist><dict/></plist>")
    },
    BadInput(
      "a choice of a missing version", "M.xcdatamodeld",
      says: "M.xcdatamodeld/.xccurrentversion:1: warning: the current version “3.xcdatamodel” is not in the"
        + " bundle (did you mean “1.xcdatamodel”?)"
        + " — choose the current version in Xcode; “2” was taken",
      "M.xcdatamodeld/1.xcdatamodel/contents:1: note: the version has the same entity hashes as “2”, which"
        + " stands for both in the migration plan"
        + " — nothing: both versions use the same stores", status: 0
    ) {
      try $0.twoVersions(choice: choice(of: "3.xcdatamodel"))
    },
    BadInput(
      "a choice of something elsewhere", "M.xcdatamodeld",
      says: "M.xcdatamodeld/.xccurrentversion:1: warning: the current version “../../../../etc/passwd” is not in"
        + " the bundle"
        + " — choose the current version in Xcode; “2” was taken",
      "M.xcdatamodeld/1.xcdatamodel/contents:1: note: the version has the same entity hashes as “2”, which"
        + " stands for both in the migration plan"
        + " — nothing: both versions use the same stores", status: 0
    ) {
      try $0.twoVersions(choice: choice(of: "../../../../etc/passwd"))
    },
    BadInput(
      "a choice that is a folder", "M.xcdatamodeld",
      says: "M.xcdatamodeld/.xccurrentversion:1: warning: the list of the current version cannot be read"
        + " — choose the current version in Xcode; “2” was taken",
      "M.xcdatamodeld/1.xcdatamodel/contents:1: note: the version has the same entity hashes as “2”, which"
        + " stands for both in the migration plan"
        + " — nothing: both versions use the same stores", status: 0
    ) {
      try $0.twoVersions()
      try $0.makeFolder("M.xcdatamodeld/.xccurrentversion")
    },
    BadInput(
      "no choice", "M.xcdatamodeld",
      says: "M.xcdatamodeld:1: warning: the bundle does not record its current version"
        + " — choose the current version in Xcode; “2” was taken",
      "M.xcdatamodeld/1.xcdatamodel/contents:1: note: the version has the same entity hashes as “2”, which"
        + " stands for both in the migration plan"
        + " — nothing: both versions use the same stores", status: 0
    ) { try $0.twoVersions() },
  ]

  private static func choice(of name: String) -> String {
    "<plist><dict><key>_XCCurrentVersionName</key><string>\(name)</string></dict></plist>"
  }
}

extension InputFolder {
  fileprivate func twoVersions(choice: String? = nil) throws {
    for version in 1...2 {
      try write(BadInput.soundModel, to: "M.xcdatamodeld/\(version).xcdatamodel/contents")
    }
    if let choice { try write(choice, to: "M.xcdatamodeld/.xccurrentversion") }
  }
}
