/// The tables of a schema, as the server's catalogue describes them. All names are untrusted.
struct Catalogue {
  /// In the order of their names.
  var tables: [Table] = []
  /// By object identifier.
  var types: [Int64: ColumnType] = [:]

  struct Table {
    let identifier: Int64
    let name: String
    let kind: Kind
    /// Whether the table inherits the columns of another one.
    let inherits: Bool
    let hasTriggers: Bool
    /// Whether the server shows each user only some of the rows.
    let hasPolicies: Bool
    /// Whether the table or one of its columns has a comment.
    let hasComments: Bool
    /// In the order of their numbers.
    var columns: [Column] = []
    /// In the order of their names.
    var constraints: [Constraint] = []
    /// Indexes that belong to no constraint, in the order of their names.
    var indexes: [Index] = []

    func column(_ number: Int) -> Column? { columns.first { $0.number == number } }
  }

  /// `pg_class.relkind`.
  enum Kind: String {
    case table = "r", partitioned = "p", view = "v", materializedView = "m", foreign = "f"
  }

  struct Column {
    let number: Int
    let name: String
    let isRequired: Bool
    let type: Int64
    /// `pg_attribute.atttypmod`: the bounds of the type's values; -1 for none.
    let modifier: Int
    let isGenerated: Bool
    let isIdentity: Bool
    /// The server's text of the default's expression.
    let defaultExpression: String?
  }

  struct ColumnType {
    let schema: String
    let name: String
    /// The type in SQL.
    let sql: String
    /// `pg_type.typtype`: `b` base, `d` domain, `e` enumeration, `c` row, `r` range.
    let kind: String
    /// The type of an array's elements; 0 for other types.
    let element: Int64
    /// The labels of an enumeration in their order.
    let labels: [String]
    /// The type that a domain restricts; 0 for other types.
    let base: Int64
    let modifier: Int
    let isRequired: Bool
    let defaultExpression: String?
  }

  struct Constraint {
    let name: String
    let kind: Kind
    /// The numbers of the columns.
    let columns: [Int]
    /// The table that a foreign key refers to, with the name of its schema.
    let destination: Int64
    let destinationName: String
    let destinationColumns: [Int]
    let action: DeleteAction
    let equality: KeyEquality
    /// Whether all rows satisfy the constraint: `NOT VALID` and, since version 18, `NOT ENFORCED` leave it open.
    let isValidated: Bool

    /// `pg_constraint.contype`.
    enum Kind: String {
      case primaryKey = "p", unique = "u", foreignKey = "f", check = "c", exclusion = "x"
    }

    /// `pg_constraint.confdeltype`.
    enum DeleteAction: String {
      case noAction = "a", restrict = "r", cascade = "c", setNull = "n", setDefault = "d"
    }
  }

  /// How a key's equality differs from the uniqueness of a class.
  struct KeyEquality {
    /// `NULLS NOT DISTINCT`: two rows without a value.
    let joinsNulls: Bool
    /// A nondeterministic collation: texts with different characters.
    let joinsTexts: Bool
    /// `WITHOUT OVERLAPS`: periods that overlap, in the last column.
    var joinsPeriods = false
  }

  struct Index {
    let name: String
    let isUnique: Bool
    let isPartial: Bool
    let hasExpressions: Bool
    let method: String
    /// The numbers of the key's columns; 0 for an expression.
    let columns: [Int]
    let isDescending: [Bool]
    let equality: KeyEquality
  }
}
