/// The text of `--help` around the list of flags.
enum HelpPage {
  static let abstract = "Generates versioned SwiftData source from a Core Data model, and describes models."

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
    .mom, or a store (a SQLite file that Core Data or SwiftData wrote), which carries its model. It may also be a \
    PostgreSQL database (postgresql://user@host/database): a SwiftData store in it becomes the classes that made it, \
    tables of another program become classes that describe them. The password comes from PGPASSWORD or ~/.pgpass.

    EXAMPLES
      Generate the classes of a model:
        generate-models Library.xcdatamodeld --output Sources/LibraryModel

      Get the classes of a store whose model is lost:
        generate-models Library.sqlite --output Sources/RecoveredModel

      Get the classes of a PostgreSQL database:
        generate-models postgresql://app@db.example/library --schema sales \\
          --output Sources/SalesModel

      Check in CI that committed files are up to date; print a patch if not:
        generate-models Library.xcdatamodeld --output Sources/LibraryModel --check

      Generate without version 1, and remove its files:
        generate-models Library.xcdatamodeld --output Sources/LibraryModel \\
          --versions V2... --prune

      List the changes between versions, and the kind of migration they need:
        generate-models Library.xcdatamodeld --diff "Library 2" current
        generate-models --diff Old.xcdatamodel New.xcdatamodel

      Draw the current version, and an earlier one:
        generate-models Library.xcdatamodeld --diagram svg --output library.svg
        generate-models Library.xcdatamodeld --diagram dot --versions V2 |
          dot -Tpdf

      Compile a model for Core Data, as momc does:
        generate-models Library.xcdatamodeld --output Resources --format mom

      Print a model for another program:
        generate-models Library.xcdatamodeld --json |
          jq '.versions[].entities[].name'

    OUTPUT
      For Library.xcdatamodeld, into the output folder:
        LibrarySchemaV1.swift, …    a version's @Model classes, oldest first
        LibraryMigrationPlan.swift  the stages from each version to the current one
        LibraryMigrationPlan+migrateV1toV2.swift
                                    a custom stage: generated once, then yours
        LibraryModels.swift         type aliases for the current version's classes

      The tool replaces files that it generated before, all of them or none. It never changes a file of yours, and \
    writes nothing into the model that it reads. It reports each feature of the model that Swift cannot express.

      With --format mom: Library.momd for a bundle, or Library.mom for a single version. It replaces an existing \
    compiled model, and no other file.

    VERSIONS
      The oldest version is the one that is named like the bundle; the others follow by name. --order states another \
    order, in which the versions are numbered.
      --versions selects some versions. Each version keeps its number. The migration plan contains the selected \
    versions; if the current one is not among them, the newest takes its place. The files of the other versions are \
    orphans: the tool lists them, and --prune removes them.

    DIAGNOSTICS
      One line each on standard error: file:line: severity: problem — remedy. Colours appear on a terminal only, and \
    not if NO_COLOR is set.

    EXIT CODES
      0    done
      1    --check found differences
      2    the input is wrong, or the output cannot be written; nothing has changed
      64   the command line is wrong
      141  the reader of the output has closed it
    """
}
