/// Files that are XML, and no model that could be meant.
extension BadInput {
  static let unsound: [BadInput] = [
    .contents(
      "an unknown type", entity("<attribute name=\"x\" attributeType=\"Strin\"/>"),
      says: "3: error: attribute “x” of entity “A” has the type “Strin”, which is not known (did you mean"
        + " “String”?)"
        + " — choose a type in the model editor"),
    .contents(
      "no type", entity("<attribute name=\"x\"/>"),
      says: "3: warning: entity “A”, property “x”: the attribute is stored, yet its type is undefined"
        + " — choose a type or make it transient", status: 0),
    .contents(
      "an entity without name", "<model>\n<entity/>\n</model>",
      says: "2: error: an entity has no name — give it one in the model editor"),
    .contents(
      "an entity with an empty name", "<model>\n<entity name=\"\"/>\n</model>",
      says: "2: error: an entity has no name — give it one in the model editor"),
    .contents(
      "an attribute without name", entity("<attribute attributeType=\"String\"/>"),
      says: "3: error: an attribute of entity “A” has no name — give it one in the model editor"),
    .contents(
      "an entity twice", "<model>\n<entity name=\"A\"/>\n<entity name=\"A\"/>\n</model>",
      says: "3: error: there is more than one entity named “A” — rename or remove one"),
    .contents(
      "a property twice",
      entity("<attribute name=\"x\" attributeType=\"String\"/>\n<relationship name=\"x\" destinationEntity=\"A\"/>"),
      says: "4: error: entity “A”: there is more than one property named “x” — rename or remove one",
      "4: warning: entity “A”, property “x”: the relationship has no inverse"
        + " — add one, so that both sides stay consistent"),
    .contents(
      "a property of the superentity again",
      "<model>\n<entity name=\"A\"><attribute name=\"x\" attributeType=\"String\"/></entity>\n"
        + "<entity name=\"B\" parentEntity=\"A\">\n<attribute name=\"x\" attributeType=\"Date\"/></entity></model>",
      says: "4: error: entity “B”, property “x”: the property is inherited from entity “A” and declared again"
        + " — rename or remove one"),
    .contents(
      "its own superentity", "<model>\n<entity name=\"A\" parentEntity=\"A\"/>\n</model>",
      says: "2: error: entity “A”: the superentities form a circle — give one of them no superentity"),
    .contents(
      "superentities in a circle",
      "<model>\n<entity name=\"A\" parentEntity=\"B\"/>\n<entity name=\"B\" parentEntity=\"C\"/>\n"
        + "<entity name=\"C\" parentEntity=\"A\"/>\n</model>",
      says: "2: error: entity “A”: the superentities form a circle — give one of them no superentity",
      "3: error: entity “B”: the superentities form a circle — give one of them no superentity",
      "4: error: entity “C”: the superentities form a circle — give one of them no superentity"),
    .contents(
      "a missing superentity",
      "<model>\n<entity name=\"Author\"/>\n<entity name=\"B\" parentEntity=\"Auhtor\"/>\n</model>",
      says: "3: error: entity “B”: the superentity “Auhtor” is not in the model (did you mean “Author”?)"
        + " — add it or correct the name"),
    .contents(
      "a missing destination", entity("<relationship name=\"r\" destinationEntity=\"B\"/>"),
      says: "3: error: entity “A”, property “r”: the destination entity “B” is not in the model"
        + " — add it or correct the name"),
    .contents(
      "no destination", entity("<relationship name=\"r\"/>"),
      says: "3: error: relationship “r” of entity “A” has no destination — choose the entity it leads to"),
    .contents(
      "a missing inverse",
      entity("<relationship name=\"owner\" destinationEntity=\"A\" inverseName=\"owners\" inverseEntity=\"A\"/>"),
      says: "3: error: entity “A”, property “owner”: the inverse “owners” is not a relationship of entity “A” (did you"
        + " mean “owner”?)"
        + " — add it or correct the name"),
    .contents(
      "a pattern that is none",
      entity("<attribute name=\"x\" attributeType=\"String\" regularExpressionString=\"[a-z\"/>"),
      says: "3: warning: entity “A”, property “x”: the pattern “[a-z” is no regular expression"
        + " — correct it: no value is checked with it",
      "3: note: A.x: not expressed: the pattern “[a-z”, which is no regular expression — correct it in the model",
      status: 0),
    .contents(
      "more than the most",
      entity("<attribute name=\"x\" attributeType=\"Integer 64\" minValueString=\"10\" maxValueString=\"5\"/>"),
      says: "3: warning: entity “A”, property “x”: the smallest value allowed exceeds the largest, so that no value is"
        + " allowed — correct one of them", status: 0),
    .contents(
      "an index of an expression",
      entity(
        "<attribute name=\"x\" attributeType=\"String\"/>\n<fetchIndex name=\"byX\">\n"
          + "<fetchIndexElement expression=\"uppercase:(x)\" type=\"Binary\"/></fetchIndex>"),
      says: "4: warning: entity “A”: the index “byX” has the expression “uppercase:(x)”, for which a store has no"
        + " column — index a property, self or entity",
      "2: note: A: not expressed: the index “byX”, whose expression “uppercase:(x)” has no column in a store"
        + " — index a property instead", status: 0),
    .contents(
      "fewer than the fewest",
      entity("<relationship name=\"r\" toMany=\"YES\" minCount=\"5\" maxCount=\"2\" destinationEntity=\"A\"/>"),
      says: "3: warning: entity “A”, property “r”: the minimum count 5 and the maximum count 2 exclude each other"
        + " — correct the counts: no container takes classes with them, and they are a part of the entity's hash",
      "3: warning: entity “A”, property “r”: the relationship has no inverse"
        + " — add one, so that both sides stay consistent", status: 0),
    .contents(
      "a count that no number holds",
      entity("<relationship name=\"r\" toMany=\"YES\" maxCount=\"99999999999999999999\" destinationEntity=\"A\"/>"),
      says: "3: error: “maxCount” of relationship “r” is “99999999999999999999”, not a count"
        + " — write a whole number from 0 to 2147483647"),
    .contents(
      "a default that is no number",
      entity("<attribute name=\"x\" attributeType=\"Integer 16\" defaultValueString=\"ten\"/>"),
      says: "3: warning: the default value of attribute “x” of entity “A” is “ten”, not a whole number from -32768"
        + " to 32767"
        + " — write a whole number from -32768 to 32767; it was left out", status: 0),
    .contents(
      "a default that is too large",
      entity("<attribute name=\"x\" attributeType=\"Integer 16\" defaultValueString=\"70000\"/>"),
      says: "3: warning: the default value of attribute “x” of entity “A” is “70000”, not a whole number from"
        + " -32768 to 32767"
        + " — write a whole number from -32768 to 32767; it was left out", status: 0),
    .contents(
      "a flag that is neither", entity("<attribute name=\"x\" optional=\"MAYBE\" attributeType=\"String\"/>"),
      says: "3: error: “optional” of attribute “x” is “MAYBE”, neither YES nor NO — write YES or NO"),
    .contents(
      "an unknown composite", entity("<attribute name=\"x\" attributeType=\"Composite\" composite=\"C\"/>"),
      says: "3: error: attribute “x” of entity “A” is of the composite type “C”, which is not in the model"
        + " — add it or correct the name"),
    .contents(
      "composites in a circle",
      "<model>\n<composite name=\"C\">\n<attribute name=\"x\" attributeType=\"Composite\" composite=\"C\"/>\n"
        + "</composite>\n<entity name=\"A\"><attribute name=\"y\" attributeType=\"Composite\" composite=\"C\"/>"
        + "</entity></model>",
      says: "3: error: attribute “x” of composite “C” nests composites in a circle or too deep"
        + " — nest at most 16, none inside itself; the attribute was left out"),
    .contents(
      "an index of a missing property",
      entity("<fetchIndex name=\"i\">\n<fetchIndexElement property=\"y\" type=\"Binary\"/></fetchIndex>"),
      says: "3: error: entity “A”: the index “i” names “y”, which the entity does not have — correct the name"),
    .contents(
      "a constraint on a missing property",
      entity(
        "<uniquenessConstraints><uniquenessConstraint>\n<constraint value=\"y\"/>"
          + "</uniquenessConstraint></uniquenessConstraints>"),
      says: "2: error: entity “A”: a uniqueness constraint names “y”, which the entity does not have"
        + " — correct the name"),
    .contents(
      "a configuration of a missing entity",
      "<model><entity name=\"A\"/>\n<configuration name=\"C\">\n<memberEntity name=\"B\"/></configuration></model>",
      says: "2: error: the configuration “C” names entity “B”, which is not in the model"
        + " — correct the name"),
    .contents(
      "a derivation that is none",
      entity("<attribute name=\"x\" derived=\"YES\" derivationExpression=\"lower(\" attributeType=\"String\"/>"),
      says: "3: warning: entity “A”, property “x”: the derivation “lower(” is no expression"
        + " — correct it in the model editor", status: 0),
    .contents(
      "a message that breaks lines",
      "<model>\n<entity name=\"A&#10;B\" parentEntity=\"&#13;&#8238;x\"/></model>",
      says: "2: error: entity “A\\u{a}B”: the superentity “\\u{d}\\u{202e}x” is not in the model"
        + " — add it or correct the name"),
  ]
}
