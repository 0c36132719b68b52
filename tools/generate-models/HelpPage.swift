/// What `--help` says beside the list of flags.
enum HelpPage {
  static let abstract = "Turns a Core Data model into versioned SwiftData source, and tells what is in a model."

  static let usage = """
    generate-models <input> --output <folder> [--versions <list>] [--prune]
             [--dialect <dialect>] [--access <access>] [--dry-run]
           generate-models <input> --output <folder> --format mom
           generate-models <input> --output <folder> --check [--json]
           generate-models [<input>] --diff <old> <new> [--json]
           generate-models <input> --diagram <format> [--versions <version>]
           generate-models <input> --json [--versions <list>]
    """

  static let discussion = """
    INPUT is a model in any form: an .xcdatamodeld bundle with its versions, a single .xcdatamodel, a compiled .momd or \
    .mom, or a store (a SQLite file that Core Data or SwiftData wrote), which carries its model.

    EXAMPLES
      Generate the classes of a model:
        generate-models Library.xcdatamodeld --output Sources/LibraryModel

      Get the classes of a store whose model is lost:
        generate-models Library.sqlite --output Sources/LibraryModel

      See in CI that committed files are up to date; what is printed is a patch:
        generate-models Library.xcdatamodeld --output Sources/LibraryModel --check

      Give up version 1, and remove what was generated for it:
        generate-models Library.xcdatamodeld --output Sources/LibraryModel \\
          --versions V2... --prune

      Ask what changed, and whether stores migrate by themselves:
        generate-models Library.xcdatamodeld --diff "Library 2" current
        generate-models --diff Old.xcdatamodel New.xcdatamodel

      Draw the current version, and an earlier one:
        generate-models Library.xcdatamodeld --diagram svg --output library.svg
        generate-models Library.xcdatamodeld --diagram dot --versions V2 | dot -Tpdf

      Compile a model for Core Data, as momc does:
        generate-models Library.xcdatamodeld --output Resources --format mom

      Give a model to another program:
        generate-models Library.xcdatamodeld --json | jq .versions[].entities[].name

    WHAT IS WRITTEN
      For Library.xcdatamodeld, into the output folder:
        LibrarySchemaV1.swift, …    the @Model classes of each version, oldest first
        LibraryMigrationPlan.swift  the way from every version to the current one
        LibraryMigrationPlan+migrateV1toV2.swift
                                    a step to be written by hand: begun, then yours
        LibraryModels.swift         plain names for the current version's classes

      Files that the tool generated before are replaced, all of them or none. A file of yours is never touched. What \
    a model says and Swift cannot is reported.

      With --format mom: Library.momd for a bundle, or Library.mom for a single version. It replaces a compiled model, \
    and nothing else.

    VERSIONS
      --versions reads only some versions. Their numbers stay the same whatever is chosen; the migration plan leads \
    through the chosen ones; if the current version is not among them, the newest of them takes its place. Files of \
    the others are orphans then: they are listed, and --prune removes them.

    DIAGNOSTICS
      A line each on standard error: file:line: severity: what — what to do. There are colours on a terminal only, and \
    none if NO_COLOR is set.

    EXIT CODES
      0    done
      1    --check found differences
      2    the input is wrong, or the output cannot be written; nothing has changed
      64   the command line is wrong
      141  whoever read the output had enough
    """
}
