import Foundation
import SwiftData

/// A condition on the variable of an operator such as `contains(where:)`.
protocol InnerCondition<Model> {
  associatedtype Model
  associatedtype Test: StandardPredicateExpression<Bool>
  var text: String { get }
  func on(_ object: Build.Variable<Model>) -> Test
}

/// The operator makes its variable itself, and wants to know the type of the condition before. So the condition is made
/// twice from the same random numbers: for its type, and for the operator's variable.
private struct RepeatedCondition<Model: PersistentModel, Test: StandardPredicateExpression<Bool>>: InnerCondition {
  let random: RandomConditions
  let start: SplitMix
  let depth: Int
  let text: String

  func on(_ object: Build.Variable<Model>) -> Test {
    let now = random.world.random
    defer { random.world.random = now }
    random.world.random = start
    guard let test = random.condition(on: object, depth: depth).part as? Test else {
      fatalError("the same random numbers make the same condition")
    }
    return test
  }
}

extension RandomConditions {
  func inner<Model: PersistentModel>(_: Model.Type, depth: Int) -> any InnerCondition<Model> {
    let start = world.random
    let condition = condition(on: Build.Variable<Model>(), depth: depth)
    func repeated<Test: StandardPredicateExpression<Bool>>(_: Test) -> any InnerCondition<Model> {
      RepeatedCondition<Model, Test>(random: self, start: start, depth: depth, text: condition.text)
    }
    return repeated(condition.part)
  }
}
