extension ModelShape {
  /// Classes that name members of the expansion of Apple's macro. Published programs do so in `init` accessors.
  static let namesOfExpansion = [
    ModelShape(
      "an init accessor that sets two properties through backing data",
      #"""
      nonisolated struct Identity: Hashable { var platform: String; var number: Int }
      @Model final class Folder {
        #Index<Folder>([\.platform])
        @Attribute(.unique) private(set) var key: String
        private(set) var platform: String
        private(set) var number: Int
        var title = "none"
        var made: Date?
        @Relationship(deleteRule: .cascade, inverse: \Message.folder) var messages: [Message] = []
        @Transient var isOpen = false
        var identity: Identity {
          @storageRestrictions(accesses: _$backingData, initializes: _key, _platform, _number)
          init(initialValue) {
            _$backingData.setValue(forKey: \.key, to: "\(initialValue.platform)\(initialValue.number)")
            _$backingData.setValue(forKey: \.platform, to: initialValue.platform)
            _$backingData.setValue(forKey: \.number, to: initialValue.number)
            _key = _SwiftDataNoType()
            _platform = _SwiftDataNoType()
            _number = _SwiftDataNoType()
          }
          get { Identity(platform: platform, number: number) }
          set {
            key = "\(newValue.platform)\(newValue.number)"
            platform = newValue.platform
            number = newValue.number
          }
        }
        init(_ identity: Identity) { self.identity = identity }
      }
      @Model final class Message {
        var text: String
        var folder: Folder?
        init(text: String, folder: Folder) { self.text = text; self.folder = folder }
      }
      """#,
      .works(
        #"""
        let folder = Folder(Identity(platform: "mail", number: 7))
        expect(folder.title == "none" && folder.made == nil && folder.messages.isEmpty && folder.key == "mail7")
        let message = Message(text: "hello", folder: folder)
        let container = try ModelContainer(
          for: Folder.self, Message.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        context.insert(folder)
        try context.save()
        let reader = ModelContext(container)
        let read = try reader.fetch(FetchDescriptor<Folder>())[0]
        expect(read.identity == Identity(platform: "mail", number: 7) && read.key == "mail7")
        expect(message.modelContext === context && folder.messages.first === message)
        expect(read.messages.map(\.text) == ["hello"] && read.messages.first?.folder === read)
        read.identity.number = 8
        read.messages.append(Message(text: "again", folder: read))
        try reader.save()
        let others = ModelContext(container)
        let eight = FetchDescriptor<Folder>(predicate: #Predicate { $0.number == 8 && $0.messages.count == 2 })
        expect(try others.fetch(eight).map(\.key) == ["mail8"])
        others.insert(Folder(Identity(platform: "mail", number: 8)))
        try others.save()
        expect(try others.fetchCount(FetchDescriptor<Folder>()) == 1)
        others.delete(try others.fetch(FetchDescriptor<Folder>())[0])
        try others.save()
        expect(try others.fetchCount(FetchDescriptor<Message>()) == 0)
        """#)),
    ModelShape(
      "an init accessor that keeps a coded value, beside a transient property",
      #"""
      nonisolated struct Words: Codable, Equatable { var text: String }
      nonisolated final class Coder {
        func data(of words: Words) -> Data { Data(words.text.utf8) }
        func words(of data: Data) -> Words { Words(text: String(decoding: data, as: UTF8.self)) }
      }
      @Model @dynamicMemberLookup public final class Task {
        private var titleData: Data
        @Transient private var coder = Coder()
        public private(set) var id: String
        var words: Words {
          @storageRestrictions(initializes: _titleData, accesses: _$backingData, coder)
          init(initialValue) {
            _titleData = .init()
            _$backingData.setValue(forKey: \.titleData, to: coder.data(of: initialValue))
          }
          get { coder.words(of: titleData) }
          set { titleData = coder.data(of: newValue) }
        }
        @Relationship(inverse: \Task.next) private(set) var previous: Task?
        @Relationship(deleteRule: .deny) private(set) var next: Task?
        private init(id: String, words: Words) {
          self.id = id
          self.words = words
        }
        convenience init(_ text: String) { self.init(id: text, words: Words(text: text)) }
        subscript<Value>(dynamicMember keyPath: KeyPath<Words, Value>) -> Value { words[keyPath: keyPath] }
        func follow(_ text: String) { next = Task(text) }
      }
      """#,
      .works(
        #"""
        let task = Task("a")
        task.follow("b")
        let context = ModelContext(
          try ModelContainer(for: Task.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        context.insert(task)
        expect(task.next?.previous === task)
        try context.save()
        let found = try ModelContext(context.container).fetch(FetchDescriptor<Task>(sortBy: [SortDescriptor(\.id)]))
        expect(found.map(\.text) == ["a", "b"] && found[0].next === found[1])
        """#)),
    ModelShape(
      "a transformable property that is set through backing data",
      #"""
      nonisolated struct Colour: Codable, Equatable { var red: UInt8 }
      nonisolated final class ColourTransformer: ValueTransformer {
        override func transformedValue(_ value: Any?) -> Any? { (value as? Colour).map { Data([$0.red]) } }
        override func reverseTransformedValue(_ value: Any?) -> Any? {
          (value as? Data)?.first.map { Colour(red: $0) }
        }
      }
      @Model final class A {
        @Attribute(.transformable(by: ColourTransformer.self), originalName: "colour") var _colour: Colour
        var red: UInt8 {
          @storageRestrictions(accesses: _$backingData, initializes: __colour)
          init(initialValue) {
            _$backingData.setTransformableValue(forKey: \._colour, to: .init(red: initialValue))
            __colour = _SwiftDataNoType()
          }
          get { _colour.red }
        }
        init(red: UInt8) { self.red = red }
      }
      """#, .works("expect(try reread(A(red: 5)).red == 5)")),
    ModelShape(
      "a property with accessors that calls the registrar of observers",
      #"""
      @Model class A {
        @Transient var plain = 1
        var doubled: Int {
          get { _$observationRegistrar.access(self, keyPath: \.doubled); return plain * 2 }
          set { _$observationRegistrar.withMutation(of: self, keyPath: \.doubled) { plain = newValue / 2 } }
        }
        func touch() {
          _$observationRegistrar.willSet(self, keyPath: \.doubled)
          plain += 1
          _$observationRegistrar.didSet(self, keyPath: \.doubled)
        }
        init() {}
      }
      """#,
      .works(
        #"""
        nonisolated final class Counter: @unchecked Sendable { var value = 0 }
        let a = A()
        let counter = Counter()
        for change in [{ a.doubled = 8 }, { a.touch() }] {
          withObservationTracking { _ = a.doubled } onChange: { counter.value += 1 }
          change()
        }
        expect(counter.value == 2 && a.doubled == 10)
        """#)),
    ModelShape(
      "comments that name backing data",
      "@Model final class A { /* _$backingData, _SwiftDataNoType */ var a = 1; init() {} }",
      .works("expect(!String(describing: type(of: A().persistentBackingData)).contains(\"Stored\"))")),
    ModelShape(
      "a subclass that names backing data",
      #"""
      @Model class A { var a = 1; init() {} }
      @Model final class B: A {
        var b: Int
        var c: Int {
          @storageRestrictions(accesses: _$backingData, initializes: _b)
          init(initialValue) { _$backingData.setValue(forKey: \.b, to: initialValue); _b = _SwiftDataNoType() }
          get { b }
        }
        override init() { self.c = 1; super.init() }
      }
      """#,
      .leftToCompiler("'B' has a model as its superclass, which keeps the values")),
  ]
}
