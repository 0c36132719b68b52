import Foundation
import ModelArchive
import PropertyLists

/// Folders of compiled models that lack something.
extension BadInput {
  static let compiledBundles: [BadInput] = [
    BadInput(
      "a compiled bundle of optimised models alone", "M.momd",
      says: "M.momd:1: error: the folder holds no .mom — build the model again, or name the source of the model"
    ) {
      try $0.write("momv2$", to: "M.momd/M.omo")
    },
    BadInput(
      "a compiled bundle of a list alone", "M.momd",
      says: "M.momd:1: error: the folder holds no .mom — build the model again, or name the source of the model"
    ) {
      try $0.write(list([.dictionary(keys: [], values: [])]), to: "M.momd/VersionInfo.plist")
    },
    BadInput(
      "one broken model of two", "M.momd",
      says: "M.momd/2.mom:1: error: the model's archive is not a binary property list: its trailer is not"
        + " consistent (at byte 68)"
        + " — compile the model again, or use its .xcdatamodeld bundle"
    ) {
      try $0.write(soundArchive, to: "M.momd/1.mom")
      try $0.write(soundArchive.prefix(100), to: "M.momd/2.mom")
    },
    BadInput(
      "a compiled model that is a folder", "M.momd",
      says: "M.momd/1.mom:1: error: this is a folder, not a file"
        + " — name an .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store"
    ) { try $0.makeFolder("M.momd/1.mom/x") },
    BadInput(
      "the list of versions for a model", "M.momd/VersionInfo.plist",
      says: "M.momd/VersionInfo.plist:1: error: this is a list of versions, not a model"
        + " — name the .momd folder that it is in"
    ) {
      try $0.write(list([.dictionary(keys: [], values: [])]), to: "M.momd/VersionInfo.plist")
    },
    BadInput(
      "a list of versions that is no list", "M.momd",
      says: "M.momd/VersionInfo.plist:1: warning: VersionInfo.plist has no readable list of versions"
        + " — build the model again; “2” was taken for the current version",
      "M.momd/1.mom:1: note: the version has the same entity hashes as “2”, which stands for both in the"
        + " migration plan"
        + " — nothing: both versions use the same stores", status: 0
    ) {
      try $0.write(soundArchive, to: "M.momd/1.mom")
      try $0.write(soundArchive, to: "M.momd/2.mom")
      try $0.write("list", to: "M.momd/VersionInfo.plist")
    },
    BadInput(
      "a list of versions of a missing one", "M.momd",
      says: "M.momd/VersionInfo.plist:1: warning: the current version “../3” is not in the bundle"
        + " — build the model again; “2” was taken",
      "M.momd/1.mom:1: note: the version has the same entity hashes as “2”, which stands for both in the"
        + " migration plan"
        + " — nothing: both versions use the same stores", status: 0
    ) {
      try $0.write(soundArchive, to: "M.momd/1.mom")
      try $0.write(soundArchive, to: "M.momd/2.mom")
      try $0.write(
        list([.dictionary(keys: [1], values: [2]), .string("NSManagedObjectModel_CurrentVersionName"), .string("../3")]
        ),
        to: "M.momd/VersionInfo.plist")
    },
  ]
}
