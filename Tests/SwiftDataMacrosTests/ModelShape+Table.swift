extension ModelShape {
  static let table: [ModelShape] = constants + variables + isolation + classes + types + annotations + namesOfExpansion
}

// MARK: Constants

extension ModelShape {
  private static let constants = [
    ModelShape(
      "a constant that the initializer sets",
      "@Model final class A { let x: String; var y = 1; init(x: String) { self.x = x } }",
      .worksInSwift5(
        #"expect(try reread(A(x: "a")).x == "a")"#,
        message:
          "the constant 'x' cannot be persisted in the Swift 6 language mode: make it 'private(set) var', so that an object can take the value of its row",
        fixed: "@Model final class A { private(set) var x: String; var y = 1; init(x: String) { self.x = x } }")),
    ModelShape(
      "a constant with a value that differs from object to object",
      "@Model final class A { public let x = UUID(); init() {} }",
      .worksInSwift5(
        "let a = A(); expect(try reread(a).x == a.x)",
        message:
          "the constant 'x' cannot be persisted in the Swift 6 language mode: make it 'private(set) var', so that an object can take the value of its row",
        fixed: "@Model final class A { public private(set) var x = UUID(); init() {} }")),
    ModelShape(
      "a private constant",
      "@Model final class A { private let x: Int; init() { x = 2 }; var y: Int { x } }",
      .worksInSwift5(
        "expect(try reread(A()).y == 2)",
        message:
          "the constant 'x' cannot be persisted in the Swift 6 language mode: make it 'private(set) var', so that an object can take the value of its row",
        fixed: "@Model final class A { private var x: Int; init() { x = 2 }; var y: Int { x } }")),
    ModelShape(
      "a constant that is a relationship",
      "@Model final class A { let b: B?; init(b: B?) { self.b = b } }; @Model final class B { var x = 1; init() {} }",
      .worksInSwift5(
        "expect(try reread(A(b: B())).b?.x == 1)",
        message:
          "the constant 'b' cannot be persisted in the Swift 6 language mode: make it 'private(set) var', so that an object can take the value of its row",
        fixed:
          "@Model final class A { private(set) var b: B?; init(b: B?) { self.b = b } }; @Model final class B { var x = 1; init() {} }"
      )),
    ModelShape(
      "constants that are not persisted",
      "@Model final class A { static let a = 1; @Transient let b = 2; let c = C.d; enum C { case e; static let d = 3 }; init() {} }",
      .worksInSwift5(
        "expect(try reread(A()).b == 2)",
        message:
          "the constant 'c' cannot be persisted in the Swift 6 language mode: make it 'private(set) var', so that an object can take the value of its row",
        fixed:
          "@Model final class A { static let a = 1; @Transient let b = 2; private(set) var c = C.d; enum C { case e; static let d = 3 }; init() {} }"
      )),
  ]
}

// MARK: Variables

extension ModelShape {
  private static let variables = [
    ModelShape(
      "several bindings with values", "@Model final class A { var a = 1, b = \"2\"; init() {} }",
      .refused(
        "one 'var' declares several persisted properties: declare each by itself",
        fixed: ["@Model final class A { var a = 1\nvar b = \"2\"; init() {} }"])),
    ModelShape(
      "several bindings that share a type, with modifiers and a comment",
      """
      @Model final class A {
        /// Two names.
        private(set) var a, b: String // both
        init() { a = ""; b = "" }
      }
      """,
      .refused(
        "one 'var' declares several persisted properties: declare each by itself",
        fixed: [
          """
          @Model final class A {
            /// Two names.
            private(set) var a: String
            private(set) var b: String // both
            init() { a = ""; b = "" }
          }
          """
        ])),
    ModelShape(
      "a tuple pattern", "@Model final class A { var (a, b) = (1, 2); init() {} }",
      .refused(
        "a persisted property needs a name of its own: declare each part of the tuple by itself",
        fixed: ["@Model final class A { var a = 1\nvar b = 2; init() {} }"])),
    ModelShape(
      "a lazy property", "@Model final class A { lazy var a = 1; init() {} }",
      .refused(
        "the lazy property 'a' cannot be persisted: remove 'lazy' and give it a value, or mark it @Transient",
        fixed: ["@Model final class A { @Transient lazy var a = 1; init() {} }"])),
    ModelShape(
      "a weak property",
      "@Model final class A { weak var b: B?; init() {} }; @Model final class B { var x = 1; init() {} }",
      .warned(
        "let a = A(); a.b = B(); expect(try reread(a).b?.x == 1)",
        message: "'weak' has no effect on 'b', which is persisted: remove it, or mark the property @Transient",
        fixed: [
          "@Model final class A { var b: B?; init() {} }; @Model final class B { var x = 1; init() {} }",
          "@Model final class A { @Transient weak var b: B?; init() {} }; @Model final class B { var x = 1; init() {} }",
        ])),
    ModelShape(
      "an unowned property",
      "@Model final class A { unowned var b: B?; init() {} }; @Model final class B { init() {} }",
      .refused(
        "the unowned reference 'b' cannot be persisted: a relationship is a plain 'var'",
        fixed: [
          "@Model final class A { var b: B?; init() {} }; @Model final class B { init() {} }",
          "@Model final class A { @Transient unowned var b: B?; init() {} }; @Model final class B { init() {} }",
        ])),
    ModelShape(
      "an optional truth value with the name of a member of every model",
      "@Model final class A { var isDeleted: Bool?; init() {} }",
      .warned(
        "let a = A(); a.isDeleted = true; let kept: Bool? = try reread(a).isDeleted; expect(kept == true)",
        message:
          "where a Bool fits, 'isDeleted' is the member of every model and not this property of type 'Bool?': choose another name, and keep a stored name with @Attribute(originalName:)",
        fixed: [])),
    ModelShape(
      "a truth value with the name of a member of every model",
      "@Model final class A { var isDeleted: Bool = false; init() {} }",
      .works("let a = A(); a.isDeleted = true; expect(try reread(a).isDeleted)")),
    ModelShape(
      "observers", "@Model final class A { var a = 1 { didSet { print(a) } }; init() {} }",
      .warned(
        "let a = A(); a.a = 2; expect(try reread(a).a == 2)",
        message:
          "the observers of 'a' never run, since its accessors are generated: use a computed property beside it, or mark it @Transient",
        fixed: [
          "@Model final class A { var a = 1; init() {} }",
          "@Model final class A { @Transient var a = 1 { didSet { print(a) } }; init() {} }",
        ])),
    ModelShape(
      "observers of a transient property",
      "@Model final class A { @Transient var n = 0; @Transient var a = 1 { didSet { n += 1 } }; init() {} }",
      .works("let a = try reread(A()); a.a = 2; expect(a.n == 1)")),
    ModelShape(
      "a well-known property wrapper",
      "@propertyWrapper nonisolated struct Published { var wrappedValue: Int }; @Model final class A { @Published var a = 1; init() {} }",
      .refused(
        "'@Published' cannot stand on the persisted property 'a', whose accessors are generated: remove it, or mark the property @Transient",
        fixed: [
          "@propertyWrapper nonisolated struct Published { var wrappedValue: Int }; @Model final class A { @Transient @Published var a = 1; init() {} }",
          "@propertyWrapper nonisolated struct Published { var wrappedValue: Int }; @Model final class A { var a = 1; init() {} }",
        ])),
    ModelShape(
      "another property wrapper",
      "@propertyWrapper struct Up { var wrappedValue: Int }; @Model final class A { @Up var a = 1; init() {} }",
      .leftToCompiler("property wrapper cannot be applied to a computed property")),
    ModelShape(
      "transient properties with property wrappers",
      """
      @propertyWrapper nonisolated struct Up { var wrappedValue: Int; init(wrappedValue: Int) { self.wrappedValue = wrappedValue }; init() { wrappedValue = 7 } }
      @Model final class A { @Transient @Up var a: Int; @Up @Transient var b = 1; var c = 2; init() {} }
      """,
      .works("let a = try reread(A()); expect(a.a == 7 && a.b == 1 && a.c == 2)")),
    ModelShape(
      "transient optionals",
      "@Model final class A { @Transient var a: Int?; @Transient var b: (() -> Void)!; init() {} }",
      .works("expect(try reread(A()).a == nil)")),
    ModelShape(
      "a transient optional behind an alias",
      "typealias Handler = (() -> Void)?; @Model final class A { @Transient var a: Handler; init() { a = nil } }",
      .refused(
        "the @Transient property 'a' needs a default value: an object has it when it is read from the store",
        fixed: [
          "typealias Handler = (() -> Void)?; @Model final class A { @Transient var a: Handler = nil; init() { a = nil } }",
          "typealias Handler = (() -> Void)?; @Model final class A { @Transient var a: Handler?; init() { a = nil } }",
        ])),
    ModelShape(
      "a transient optional in its long spelling",
      "@Model final class A { @Transient var a: Optional<Int>; init() { a = 1 } }",
      .refused(
        "the @Transient property 'a' needs a default value: an object has it when it is read from the store",
        fixed: ["@Model final class A { @Transient var a: Optional<Int> = nil; init() { a = 1 } }"])),
    ModelShape(
      "a transient property without value", "@Model final class A { @Transient var a: Int; init() { a = 1 } }",
      .refused(
        "the @Transient property 'a' needs a default value: an object has it when it is read from the store",
        fixed: ["@Model final class A { @Transient var a: Int?; init() { a = 1 } }"])),
    ModelShape(
      "computed and static properties",
      """
      @Model final class A {
        var x = 1
        var a: Int { x + 1 }
        var b: Int { get { x } set { x = newValue } }
        @Transient var c: Int { x }
        nonisolated(unsafe) static var d = 1
        class var e: Int { 2 }
        init() {}
      }
      """,
      .works("let a = A(); a.b = 5; expect(try reread(a).a == 6)")),
    ModelShape(
      "a persisted property and its name with an underscore",
      "@Model final class A { var x = 1; var _x = 2; var state = 3; var _state = 4; init() {} }",
      .works(
        "let a = A(); a.x = 5; a._x = 6; let b = try reread(a); expect(b.x == 5 && b._x == 6 && b.state == 3 && b._state == 4)"
      )),
    ModelShape(
      "a computed property, a method and a transient one with an underscore",
      "@Model final class A { var x = 1; var _x: Int { x }; var y = 2; func _y() -> Int { y }; var z = 3; @Transient private var _z = 4; init() {} }",
      .works("let a = try reread(A()); expect(a._x == 1 && a._y() == 2 && a.z == 3)")),
    ModelShape(
      "names in backticks",
      "@Model final class A { var `default` = 1; var `class`: String; var `two words` = 2; init() { self.class = \"c\" } }",
      .works("let a = try reread(A()); expect(a.default == 1 && a.class == \"c\" && a.`two words` == 2)")),
    ModelShape(
      "names that the expansion uses",
      """
      @Model final class A {
        var property = 1; var metadata = 2; var row = 12; var visitor = 13; var previous = 3; var newValue = 4; var initialValue = 5
        var access = 6; var withMutation = 7; var keyPath = 8; var state = 9; var entity = 10; var index = 11
        init() {}
      }
      """,
      .works(
        "let a = A(); a.access = 7; a.newValue = 5; let b = try reread(a); expect(b.property + b.metadata + b.previous + b.newValue + b.initialValue + b.access + b.withMutation + b.keyPath + b.state + b.entity + b.index + b.row + b.visitor == 93)"
      )),
    ModelShape(
      "a name of Core Data's objects", "@Model final class A { var description: String; init() {} }",
      .refused(
        "'description' is the name of a method of Core Data's objects: choose another, and keep a stored name with @Attribute(originalName:)"
      )),
    ModelShape(
      "a name of metatypes", "@Model final class A { var `Type` = 1; init() {} }",
      .refused(
        "a key path cannot name the property 'Type', because Swift reads '.Type' as a metatype: choose another name, and keep a stored name with @Attribute(originalName:)"
      )),
    ModelShape(
      "an equality of its own",
      "@Model final class A { var x = 1; init() {}; static func == (a: A, b: A) -> Bool { a.x == b.x } }",
      .refused(
        "'A' declares '==': add ': Equatable' to the class",
        fixed: [
          "@Model final class A: Equatable { var x = 1; init() {}; static func == (a: A, b: A) -> Bool { a.x == b.x } }"
        ])),
    ModelShape(
      "an equality with its conformance, and one with other values",
      """
      @Model final class A: Equatable {
        var x = 1
        init() {}
        static func == (a: A, b: A) -> Bool { a.x == b.x }
        func hash(into hasher: inout Hasher) { hasher.combine(x) }
      }
      @Model final class B { var x = 1; init() {}; static func == (b: B, x: Int) -> Bool { b.x == x } }
      """,
      .works("expect(A() == A()); expect(B() == 1); expect(B() != B()); expect(try reread(A()) == A())")),
    ModelShape(
      "deprecated properties",
      #"""
      @Model class A {
        @available(*, deprecated, message: "use b") var a: String = "a"
        var b: String = "b"
        init() {}
      }
      @Model final class B: A { var c = 1; override init() { super.init() } }
      """#,
      .works(#"expect(try reread(B()).b == "b"); expect(Schema([B.self]).entities.count == 2)"#)),
    ModelShape(
      "a property without type and value", "@Model final class A { var a; init() {} }",
      .refused("'a' needs a type or an initial value")),
    ModelShape(
      "a type that does not exist", "@Model final class A { var a: Strng; init() {} }",
      .leftToCompiler("cannot find type 'Strng' in scope")),
    ModelShape(
      "conditional compilation, comments and documentation between",
      """
      @Model final class A { // A comment.
        /// A name.
        @Attribute( // How?
          .unique, /* once */ originalName: "old" // before
        )
        // Between.
        public /* everyone */ var name: String = "n" // after
        #if swift(>=6)
          var six = 6
        #else
          var six = 5
        #endif
        #if DOES_NOT_EXIST
          @Transient var other: Never
        #elseif os(Linux) || os(macOS)
          var date: Date = /* now */ Date(timeIntervalSince1970: 0) // then
        #endif
        init() {}
      }
      """,
      .works("let a = try reread(A()); expect(a.name == \"n\" && a.six >= 5 && a.date.timeIntervalSince1970 == 0)")),
  ]
}

// MARK: Isolation

extension ModelShape {
  private static let isolation = [
    ModelShape(
      "a class of the main actor, with an inverse and constraints",
      #"""
      @MainActor @Model final class A {
        var name: String
        @Relationship(deleteRule: .cascade, inverse: \B.a) var bs: [B] = []
        init(name: String) { self.name = name }
      }
      @MainActor @Model final class B { #Unique<B>([\.n]); #Index<B>([\.n]); var n: Int; var a: A?; init(n: Int) { self.n = n } }
      """#,
      .works(
        #"let a = A(name: "a"); a.bs.append(B(n: 1)); expect(try reread(a).bs.first?.n == 1)"#, on: "@MainActor")),
    ModelShape(
      "a class of a global actor of any name",
      #"""
      @globalActor actor Worker { static let shared = Worker() }
      @Worker @Model class A {
        var name: String
        @Relationship(inverse: \B.a) var bs: [B] = []
        init(name: String) { self.name = name }
      }
      @Worker @Model final class B { #Unique<B>([\.n]); var n: Int; var a: A?; init(n: Int) { self.n = n } }
      @Model final class C: A { var more = 1; override init(name: String) { super.init(name: name) } }
      """#,
      .works(
        #"let a = C(name: "a"); a.bs.append(B(n: 1)); let b = try reread(a); expect(b.bs.first?.n == 1 && b.more == 1)"#,
        on: "@Worker")),
    ModelShape(
      "a property of a global actor",
      "@Model final class A { @MainActor var x = 1; var y = 2; init() {} }",
      .works("let a = try reread(A()); expect(a.x == 1)", on: "@MainActor")),
    ModelShape(
      "a nonisolated property of a class of the main actor",
      "@preconcurrency @MainActor @Model final class A { nonisolated var x = 1; var y = 2; init() {} }",
      .works("let a = try reread(A()); expect(a.x == 1 && a.y == 2)", on: "@MainActor")),
    ModelShape(
      "a nonisolated class", "@Model nonisolated final class A { var x = 1; init() {} }",
      .works("expect(try reread(A()).x == 1)")),
    ModelShape(
      "values of nonisolated types",
      """
      nonisolated struct Place: Codable { var city = "b"; var lines: [String] = ["c"] }
      nonisolated enum Kind: String, Codable { case novel, essay }
      @Model final class A { var place: Place?; var kind = Kind.novel; var kinds: [Kind] = [.essay]; init() {} }
      """,
      .works(
        """
        let found = try await Task.detached {
          let a = A(); a.place = Place(); let b = try reread(a)
          return (b.place?.city, b.kind, b.kinds)
        }.value
        expect(found.0 == "b" && found.1 == .novel && found.2 == [.essay])
        """)),
    ModelShape(
      "values of a type whose Codable conformance a global actor isolates",
      "@MainActor struct Place: @MainActor Codable { var city = 1 }; @Model final class A { var place: Place?; init() {} }",
      .leftToCompiler("main actor-isolated default value in a nonisolated(unsafe) context")),
  ]
}

// MARK: Classes

extension ModelShape {
  private static let classes = [
    ModelShape(
      "a structure", "@Model struct A { var a = 1 }",
      .refused("@Model makes classes persistent: it cannot stand on a struct")),
    ModelShape(
      "an enumeration", "@Model enum A { case a }",
      .refused("@Model makes classes persistent: it cannot stand on an enum")),
    ModelShape(
      "an actor", "@Model actor A { var a = 1 }",
      .refused("@Model makes classes persistent: it cannot stand on an actor")),
    ModelShape(
      "a generic class", "@Model class A<T> { var a = 1; init() {} }",
      .refused("a generic class cannot be a model: a store has one entity per class")),
    ModelShape(
      "no initializer, without properties that need one", "@Model class A { var a = 1 }",
      .refused(
        "@Model requires an initializer be provided for 'A': write init(…) that takes the values of a new object",
        fixed: ["@Model class A { var a = 1 \ninit() {}\n}"])),
    ModelShape(
      "no initializer",
      """
      @Model public final class A {
        public var a: String
        var b: Int = 2
        var c: Date?
        var d: [A]
      }
      """,
      .refused(
        "@Model requires an initializer be provided for 'A': write init(…) that takes the values of a new object",
        fixed: [
          """
          @Model public final class A {
            public var a: String
            var b: Int = 2
            var c: Date?
            var d: [A]

            public init(a: String, b: Int = 2, c: Date? = nil, d: [A]) {
              self.a = a
              self.b = b
              self.c = c
              self.d = d
            }
          }
          """
        ])),
    ModelShape(
      "an abstract class without initializer",
      "@Model(isAbstract: true) class A { var a = 1 }",
      .works()),
    ModelShape(
      "an abstract class and its subclass",
      "@Model(isAbstract: true) class A { var a = 1; init() {} }; @Model class B: A { var b = 2; init(b: Int) { super.init(); self.b = b } }",
      .works("expect(try reread(B(b: 3)).b == 3)")),
    ModelShape(
      "a subclass whose inherited initializers suffice",
      """
      @Model class A { var a: Int; init(a: Int) { self.a = a }; convenience init() { self.init(a: 7) } }
      @Model class B: A { var b = 2; var c: String?; var d = Date.distantPast; var e: [String] = ["x"] }
      @Model final class C: B { var f: B? }
      """,
      .works(
        """
        let b = try reread(B(a: 1)); expect(b.a == 1 && b.b == 2 && b.c == nil && b.d == .distantPast && b.e == ["x"])
        let c = try reread(C()); expect(c.a == 7 && c.b == 2 && c.f == nil)
        """)),
    ModelShape(
      "access levels",
      """
      @Model open class A { open var a = 1; public var b = 2; package var c = 3; public internal(set) var d = 4; fileprivate var e = 5; public init() {} }
      @Model package final class B { package var a = 1; package init() {} }
      @Model fileprivate final class C { var a = 1; private var b = 2; init() {} }
      @Model public final class D: A { public var f = 6; public override init() { super.init() } }
      """,
      .works(
        "expect(try reread(D()).f == 6); expect(try reread(B()).a == 1); expect(try reread(C()).a == 1)")),
    ModelShape(
      "conformances that leave initial values unevaluated for rows",
      """
      nonisolated(unsafe) static var count = 0
      nonisolated static func next() -> Int { count += 1; return count }
      protocol Named { var name: String { get } }
      @Model final class A: Codable {
        var id: UUID = UUID(); var n: Int = next()
        init() {}
        init(from decoder: any Decoder) throws { n = try decoder.singleValueContainer().decode(Int.self); id = UUID() }
        func encode(to encoder: any Encoder) throws {}
      }
      @Model final class B: Named { var name = "b"; var n = next(); init() {} }
      @Model class C { var m = 1; init() {} }
      @Model final class D: C { var n = next(); init(m: Int) { super.init(); self.m = m } }
      """,
      .works(
        """
        let container = try ModelContainer(for: A.self, B.self, D.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container); let a = A(); let b = B(); let d = D(m: 5)
        context.insert(a); context.insert(b); context.insert(d); try context.save()
        let before = count; let other = ModelContext(container)
        let (a1, b1) = (try other.fetch(FetchDescriptor<A>())[0], try other.fetch(FetchDescriptor<B>())[0])
        let d1 = try other.fetch(FetchDescriptor<D>())[0]
        expect(a1.n == a.n && a1.id == a.id && b1.n == b.n && d1.n == d.n && d1.m == 5)
        expect(count == before, "\\(count - before) initial values were evaluated for rows")
        """)),
    ModelShape(
      "a subclass that assigns a property before it calls its superclass",
      """
      @Model class A { var a: Int; init(a: Int) { self.a = a } }
      @Model final class B: A { var id: UUID = UUID(); var when = Date.now; init(id: UUID) { self.id = id; super.init(a: 1) } }
      """,
      .works("let b = B(id: UUID()); expect(try reread(b).id == b.id)")),
    ModelShape(
      "a superclass that is no model",
      "class Base { var unstored = 1 }; @Model final class A: Base { var x: Int; init(x: Int) { self.x = x; super.init() } }",
      .works("expect(try reread(A(x: 4)).x == 4)")),
    ModelShape(
      "a property of the superclass, overridden",
      "@Model class A { var x = 1; init() {} }; @Model final class B: A { override var x: Int = 2; override init() { super.init() } }",
      .refused(
        "the superclass persists 'x', a subclass cannot persist it again: assign it in init, or override it with a computed property"
      )),
    ModelShape(
      "a property of the superclass, overridden by a computed one",
      "@Model class A { var x = 1; init() {} }; @Model final class B: A { override var x: Int { get { super.x + 1 } set { super.x = newValue } }; override init() { super.init() } }",
      .works("let b = B(); b.x = 5; expect(try reread(b).x == 6)")),
    ModelShape(
      "a class with an equality of its own",
      "@Model final class A: Equatable { var x = 1; init() {}; static func == (left: A, right: A) -> Bool { left.x == right.x }; func hash(into hasher: inout Hasher) { hasher.combine(x) } }",
      .works("let a = A(); expect(try reread(a) == a)")),
    ModelShape(
      "a class in a function", "func f() { @Model class A { var x = 1; init() {} } }",
      .leftToCompiler("local type cannot have attached extension macro")),
    ModelShape(
      "a class whose name needs backticks", "@Model final class `My Book` { var x = 1; init() {} }",
      .works("expect(try reread(`My Book`()).x == 1)")),
    ModelShape(
      "initializers of every kind",
      """
      @Model final class A {
        var a: Int
        init?(maybe: Bool) { guard maybe else { return nil }; a = 1 }
        init(throwing: Bool) throws { a = 2 }
        init(later: Bool) async { a = 3 }
        convenience init() { self.init(maybe: true)! }
        required init(a: Int) { self.a = a }
      }
      """,
      .works(
        "expect(try reread(A()).a == 1); expect(try reread(A(throwing: true)).a == 2); let c = A.init(a:); expect(try reread(c(4)).a == 4)"
      )),
    ModelShape(
      "the initializer as a function", "@Model final class A { var a: Int; init(_ a: Int) { self.a = a } }",
      .works("expect([1, 2].map(A.init).map(\\.a) == [1, 2])")),
    ModelShape(
      "nested types, methods, subscripts, a deinitializer",
      """
      @Model final class A {
        struct Part: Codable, Equatable { var n = 1 }
        enum Kind: Int, Codable { case one, two }
        var part = Part(); var kind: Kind = .two
        @Transient private var cache: [Int: String] = [:]
        subscript(n: Int) -> String? { get { cache[n] } set { cache[n] = newValue } }
        func grow() { part.n += 1 }
        deinit {}
        init() {}
      }
      """,
      .works(
        "let a = A(); a.grow(); a[1] = \"x\"; let b = try reread(a); expect(b.part.n == 2 && b.kind == .two && b[1] == nil)"
      )
    ),
  ]
}

// MARK: Types

extension ModelShape {
  private static let types = [
    ModelShape(
      "an implicitly unwrapped optional",
      "@Model final class A { var a: String!; var b: B!; init() {} }; @Model final class B { var x = 1; init() {} }",
      .works("let a = A(); a.a = \"a\"; a.b = B(); let b = try reread(a); expect(b.a == \"a\" && b.b.x == 1)")),
    ModelShape(
      "types without column",
      "protocol P {}; @Model final class A { var a = 1; var b: (Int, String) = (1, \"\"); var c: (() -> Void)?; var d: (any P)?; var e: Int.Type = Int.self; init() {} }",
      .refused(
        "'b' cannot be persisted, since a tuple is not Codable: store a Codable structure, or mark it @Transient",
        "'c' cannot be persisted, since a function is not Codable: store a Codable structure, or mark it @Transient",
        "'d' cannot be persisted, since 'any P', a protocol type is not Codable: store a Codable structure, or mark it @Transient",
        "'e' cannot be persisted, since a metatype is not Codable: store a Codable structure, or mark it @Transient")),
    ModelShape(
      "a type without column, marked",
      "@Model final class A { var a = 1; var b: (Int, String)?; init() {} }",
      .refused(
        "'b' cannot be persisted, since a tuple is not Codable: store a Codable structure, or mark it @Transient",
        fixed: ["@Model final class A { var a = 1; @Transient var b: (Int, String)?; init() {} }"])),
    ModelShape(
      "arrays that are changed in place",
      """
      @Model final class A {
        var a: [B] = []; private(set) var b: Array<C>; var c: [D]?; var d: [E]!; var e = [F](); var f: [G] = []; var g: [String?] = []
        @available(*, deprecated) var h: [I] = []
        struct G: Codable { var x = 1 }
        init() { b = []; b.append(C()) }
      }
      @Model final class B { var x = 1; init() {} }
      @Model final class C { var x = 1; init() {} }
      @Model final class D { var x = 1; init() {} }
      @Model final class E { var x = 1; init() {} }
      @Model final class F { var x = 1; init() {} }
      @Model final class I { var x = 1; init() {} }
      """,
      .works(
        """
        let a = A(); a.a.append(B()); a.c?.append(D()); a.c = []; a.c?.append(D()); a.c?[0].x = 5; a.d = []; a.d.append(E())
        a.e += [F(), F()]; a.f.append(.init()); a.g.append("g"); let b = try reread(a)
        expect(b.a.count == 1 && b.b.count == 1 && b.c?.first?.x == 5 && b.d.count == 1 && b.e.count == 2)
        expect(b.f.first?.x == 1 && b.g == ["g"])
        """)),
    ModelShape(
      "types that are inferred",
      "@Model final class A { var a = [1: \"a\"]; var b = { 3 }(); var c = Optional(\"c\"); var d = [A](); var e = 2 as Int16; var f = -1.5; init() {} }",
      .works(
        "let a = try reread(A()); expect(a.a == [1: \"a\"] && a.b == 3 && a.c == \"c\" && a.d.isEmpty && a.e == 2 && a.f == -1.5)"
      )
    ),
  ]
}

// MARK: Annotations

extension ModelShape {
  private static let annotations = [
    ModelShape(
      "a set as a relationship",
      "@Model final class A { @Relationship var a: Set<B> = []; init() {} }; @Model final class B { var x = 1; init() {} }",
      .refused(
        "a to-many relationship is an array: write '[Model]' in place of 'Set<Model>'",
        fixed: [
          "@Model final class A { @Relationship var a: [B] = []; init() {} }; @Model final class B { var x = 1; init() {} }"
        ])),
    ModelShape(
      "both annotations", "@Model final class A { @Relationship @Attribute var a: A?; init() {} }",
      .refused(
        "a property is an attribute or a relationship: keep one of @Attribute and @Relationship",
        fixed: [
          "@Model final class A { @Relationship var a: A?; init() {} }",
          "@Model final class A { @Attribute var a: A?; init() {} }",
        ])),
    ModelShape(
      "one annotation twice",
      "@Model final class A { @Attribute(.unique) @Attribute(.spotlight) var a = 1; init() {} }",
      .refused("@Attribute stands twice: write all options in one @Attribute")),
    ModelShape(
      "an annotation of a transient property",
      "@Model final class A { @Transient @Attribute(.unique) var a = 1; var b = 2; init() {} }",
      .refused(
        "@Attribute has no effect on a @Transient property, which is not stored",
        fixed: ["@Model final class A { @Transient var a = 1; var b = 2; init() {} }"])),
    ModelShape(
      "a fetched property with a value", "@Model final class A { @FetchedProperty var a = 1; init() {} }",
      .refused("a @FetchedProperty is a plain 'var' of type '[Model]' without value: write its type")),
    ModelShape(
      "a composite that is a class", "@Composite class A { var a = 1 }",
      .refused("@Composite says how the parts of a value are stored: it cannot stand on a class, only on a structure")),
    ModelShape(
      "attributes in conditional compilation",
      """
      @Model final class A {
        #if canImport(SwiftData)
          @Attribute(.unique)
        #endif
        var a = 1
        #if DOES_NOT_EXIST
          @Attribute(originalName: "one")
        #elseif swift(>=5)
          @Attribute(originalName: "two")
        #else
          @Attribute(originalName: "three")
        #endif
        var b = 2
        init() {}
      }
      """,
      .works(
        #"""
        expect(try reread(A()).b == 2)
        let attributes = Schema([A.self]).entities[0].attributesByName
        expect(attributes["a"]?.isUnique == true && attributes["b"]?.originalName == "two" && attributes.count == 2)
        """#)),
    ModelShape(
      "a transient property in one branch of conditional compilation",
      "@Model final class A {\n#if DEBUG\n@Transient\n#endif\nvar a = 1\ninit() {}\n}",
      .refused("a property is persisted in every branch of #if, or in none: put the whole property into each branch")),
    ModelShape(
      "an attribute of Observation", "@Model final class A { @ObservationIgnored var a = 1; init() {} }",
      .refused(
        "'@ObservationIgnored' cannot stand on the persisted property 'a', whose accessors are generated: remove it, or mark the property @Transient",
        fixed: [
          "@Model final class A { @Transient @ObservationIgnored var a = 1; init() {} }",
          "@Model final class A { var a = 1; init() {} }",
        ])),
    ModelShape(
      "a composite",
      "@Composite struct Place: Codable { var city: String = \"b\"; var n: Int? }; @Model final class A { var place = Place(); init() {} }",
      .works(
        """
        let found = try await Task.detached { let a = A(); a.place.n = 2; let b = try reread(a); return [b.place.city, "\\(b.place.n ?? 0)"] }.value
        expect(found == ["b", "2"])
        """)),
    ModelShape(
      "a composite whose parts state no type, or share one",
      "@Composite struct Place: Codable { var city = \"b\", zip = 7; var n, m: Int?; var o = 1 { didSet { m = o } } }; @Model final class A { var place = Place(); init() {} }",
      .works(
        """
        let found = try await Task.detached { let a = A(); a.place.city = "c"; a.place.zip = 8; a.place.n = 2; a.place.o = 3; let b = try reread(a); return [b.place.city, "\\(b.place.zip)", "\\(b.place.n ?? 0)", "\\(b.place.o)", "\\(b.place.m ?? 0)"] }.value
        expect(found == ["c", "8", "2", "3", "3"])
        """)),
    ModelShape(
      "attributes with the module's name",
      "@SwiftData.Model final class A { @SwiftData.Attribute(.unique) var a = 1; @SwiftData.Transient var b = 2; init() {} }",
      .works("expect(try reread(A()).a == 1); expect(Schema([A.self]).entities[0].attributes.count == 1)")),
  ]
}
