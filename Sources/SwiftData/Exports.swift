/// A file that imports SwiftData alone may use `Date`, `Data`, `SortDescriptor` and `Predicate`, as sample code does.
@_exported public import Foundation
/// What Foundation on Linux lacks of them; nothing on Apple's systems.
@_exported public import FoundationAdditions
