import Foundation
import SwiftData

typealias Build = PredicateExpressions
typealias Part<Value> = any StandardPredicateExpression<Value>

/// A property as a predicate reads it: of an object, or of one that may be missing.
protocol ValuePath<Model, Value> {
  associatedtype Model
  associatedtype Value
  var name: String { get }
  func on(_ root: some StandardPredicateExpression<Model>) -> Part<Value>
  func through(_ root: some StandardPredicateExpression<Model?>) -> Part<Value?>
}

/// An optional property as a predicate reads it; a missing object has none.
protocol OptionalPath<Model, Value> {
  associatedtype Model
  associatedtype Value
  var name: String { get }
  func on(_ root: some StandardPredicateExpression<Model>) -> Part<Value?>
  func through(_ root: some StandardPredicateExpression<Model?>) -> Part<Value?>
}

/// `root.map { … }` of a root that may be missing.
func mapped<Root: StandardPredicateExpression, Wrapped, Body: StandardPredicateExpression>(
  _ root: Root, _ body: (Build.Variable<Wrapped>) -> Body
) -> Build.OptionalFlatMap<Root, Wrapped, Body, Body.Output> where Root.Output == Wrapped? {
  Build.build_flatMap(root, body)
}

/// `root.flatMap { … }` with a body whose value may be missing too.
func flatMapped<Root: StandardPredicateExpression, Wrapped, Body: StandardPredicateExpression, Value>(
  _ root: Root, _ body: (Build.Variable<Wrapped>) -> Body
) -> Build.OptionalFlatMap<Root, Wrapped, Body, Value> where Root.Output == Wrapped?, Body.Output == Value? {
  Build.build_flatMap(root, body)
}

/// A chain such as `root?.name`.
func chained<Wrapped, Value>(
  _ root: some StandardPredicateExpression<Wrapped?>, _ keyPath: any KeyPath<Wrapped, Value> & Sendable
) -> some StandardPredicateExpression<Value?> {
  mapped(root) { Build.build_KeyPath(root: $0, keyPath: keyPath) }
}

/// A chain such as `root?.nick`, whose end is optional too.
func chained<Wrapped, Value>(
  _ root: some StandardPredicateExpression<Wrapped?>, optional keyPath: any KeyPath<Wrapped, Value?> & Sendable
) -> some StandardPredicateExpression<Value?> {
  flatMapped(root) { Build.build_KeyPath(root: $0, keyPath: keyPath) }
}

/// `$0.name`
struct DirectPath<Model, Value>: ValuePath {
  let name: String
  let keyPath: any KeyPath<Model, Value> & Sendable

  func on(_ root: some StandardPredicateExpression<Model>) -> Part<Value> {
    Build.build_KeyPath(root: root, keyPath: keyPath)
  }

  func through(_ root: some StandardPredicateExpression<Model?>) -> Part<Value?> { chained(root, keyPath) }
}

/// `$0.nick`
struct DirectOptionalPath<Model, Value>: OptionalPath {
  let name: String
  let keyPath: any KeyPath<Model, Value?> & Sendable

  func on(_ root: some StandardPredicateExpression<Model>) -> Part<Value?> {
    Build.build_KeyPath(root: root, keyPath: keyPath)
  }

  func through(_ root: some StandardPredicateExpression<Model?>) -> Part<Value?> { chained(root, optional: keyPath) }
}

/// `$0.home.zip`
struct InnerPath<Model, Composite, Value>: ValuePath {
  let name: String
  let outer: any KeyPath<Model, Composite> & Sendable
  let keyPath: any KeyPath<Composite, Value> & Sendable

  func on(_ root: some StandardPredicateExpression<Model>) -> Part<Value> {
    Build.build_KeyPath(root: Build.build_KeyPath(root: root, keyPath: outer), keyPath: keyPath)
  }

  func through(_ root: some StandardPredicateExpression<Model?>) -> Part<Value?> {
    mapped(root) {
      Build.build_KeyPath(root: Build.build_KeyPath(root: $0, keyPath: self.outer), keyPath: self.keyPath)
    }
  }
}

/// `$0.home.note`
struct InnerOptionalPath<Model, Composite, Value>: OptionalPath {
  let name: String
  let outer: any KeyPath<Model, Composite> & Sendable
  let keyPath: any KeyPath<Composite, Value?> & Sendable

  func on(_ root: some StandardPredicateExpression<Model>) -> Part<Value?> {
    Build.build_KeyPath(root: Build.build_KeyPath(root: root, keyPath: outer), keyPath: keyPath)
  }

  func through(_ root: some StandardPredicateExpression<Model?>) -> Part<Value?> {
    flatMapped(root) {
      Build.build_KeyPath(root: Build.build_KeyPath(root: $0, keyPath: self.outer), keyPath: self.keyPath)
    }
  }
}

/// `$0.home?.zip`
struct ChainedPath<Model, Composite, Value>: OptionalPath {
  let name: String
  let outer: any KeyPath<Model, Composite?> & Sendable
  let keyPath: any KeyPath<Composite, Value> & Sendable

  func on(_ root: some StandardPredicateExpression<Model>) -> Part<Value?> {
    chained(Build.build_KeyPath(root: root, keyPath: outer), keyPath)
  }

  func through(_ root: some StandardPredicateExpression<Model?>) -> Part<Value?> {
    chained(chained(root, optional: outer), keyPath)
  }
}
