/// A change of what a to-many relationship records about one member.
struct LinkStep {
  let owner: any PersistentModel
  let property: Int
  let member: any PersistentModel
  /// Whether the relationship got or lost the member; `nil` if only the record changed.
  let kind: MemberChange.Kind?
  let before: LinkChanges.Mark?
  let after: LinkChanges.Mark?
}
