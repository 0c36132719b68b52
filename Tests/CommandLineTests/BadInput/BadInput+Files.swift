import Foundation

/// Paths that lead to no model at all.
extension BadInput {
  static let files: [BadInput] =
    [
      BadInput(
        "a path that leads nowhere", "gone.xcdatamodeld",
        says: "gone.xcdatamodeld:1: error: there is no such file or folder"
          + " — name an .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store"
      ) { _ in },
      BadInput(
        "a path below a file", "a.txt/M.xcdatamodeld",
        says: "a.txt/M.xcdatamodeld:1: error: there is no such file or folder"
          + " — name an .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store"
      ) { try $0.write("", to: "a.txt") },
      BadInput(
        "a link in a circle", "M.xcdatamodeld",
        says: "M.xcdatamodeld:1: error: this is a link that leads nowhere"
          + " — correct the link, or name an .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store"
      ) {
        try $0.link("M.xcdatamodeld", to: "M.xcdatamodeld")
      },
      BadInput(
        "the file inside a model", "M.xcdatamodel/contents",
        says: "M.xcdatamodel/contents:1: error: this is a file inside a model, not the model"
          + " — name the .xcdatamodel folder that it is in"
      ) {
        try $0.write(soundModel, to: "M.xcdatamodel/contents")
      },
      BadInput(
        "a file in the place of a bundle", "M.xcdatamodeld",
        says: "M.xcdatamodeld:1: error: the file is no model"
          + " — name an .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store"
      ) {
        try $0.write(soundModel, to: "M.xcdatamodeld")
      },
      BadInput(
        "a folder of something else", "Notes",
        says: "Notes:1: error: the folder holds no version of a model"
          + " — name an .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store"
      ) { try $0.write("", to: "Notes/a.txt") },
      BadInput(
        "a folder that holds a model", "App",
        says: "App:1: error: the folder is no model itself, but holds one — name the model in it"
      ) {
        try $0.write(soundModel, to: "App/M.xcdatamodeld/M.xcdatamodel/contents")
      },
      BadInput(
        "a pipe", "pipe",
        says: "pipe:1: error: this is neither a file nor a folder"
          + " — name an .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store"
      ) { mkfifo($0.place("pipe").path, 0o600) },
      BadInput(
        "a name with a line feed", "a\nb.mom",
        says: "a b.mom:1: error: the file is no compiled model"
          + " — compile the model again, or name an .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store"
      ) { try $0.write("x", to: "a\nb.mom") },
      BadInput(
        "a text file", "notes.txt",
        says:
          "notes.txt:1: error: the file is no model — name an .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store"
      ) { try $0.write("notes", to: "notes.txt") },
    ] + (getuid() == 0 ? [] : forbidden)

  /// What the superuser may read all the same.
  private static let forbidden: [BadInput] = [
    BadInput(
      "contents that may not be read", "M.xcdatamodel",
      says: "M.xcdatamodel/contents:1: error: the file cannot be read — check that you may read it"
    ) {
      try $0.write(soundModel, to: "M.xcdatamodel/contents")
      try $0.setPermissions(0, of: "M.xcdatamodel/contents")
    },
    BadInput(
      "a folder that may not be listed", "M.xcdatamodel",
      says: "M.xcdatamodel:1: error: the folder cannot be listed — check that you may read it"
    ) {
      try $0.write(soundModel, to: "M.xcdatamodel/contents")
      try $0.setPermissions(0o300, of: "M.xcdatamodel")
    },
  ]
}
