import Foundation
import TestSupport
import Testing

@Suite("generate-models --json", .enabled(if: GenerateModelsTool.url != nil, "needs the built generate-models"))
struct DescribeTests {
  private func versions(_ arguments: String...) throws -> [[String: Any]] {
    let result = try GenerateModelsTool.run([GenerateModelsTool.library, "--json"] + arguments)
    #expect(result.status == 0)
    #expect(result.errors.isEmpty)
    return try #require(try JSONObject(result.output)["versions"] as? [[String: Any]])
  }

  @Test("All versions are described, with numbers, the current one marked") func allVersions() throws {
    let versions = try versions()
    #expect(versions.compactMap { $0["name"] as? String } == ["Library", "Library 2", "Library 3"])
    #expect(versions.compactMap { $0["number"] as? Int } == [1, 2, 3])
    #expect(versions.map { $0["isCurrent"] as? Bool } == [nil, nil, true])
    #expect(try self.versions("--versions", "V2").compactMap { $0["number"] as? Int } == [2])
  }

  @Test("Entities, properties and their rules are there; what is not set is left out") func entities() throws {
    let entities = try #require(try versions("--versions", "current")[0]["entities"] as? [[String: Any]])
    let item = try #require(entities.first { $0["name"] as? String == "Item" })
    #expect(item["isAbstract"] as? Bool == true)
    #expect(item["superentity"] == nil)
    #expect(Data(base64Encoded: item["versionHash"] as? String ?? "")?.count == 32)
    let price = try #require((item["attributes"] as? [[String: Any]])?.first { $0["name"] as? String == "price" })
    #expect(price["type"] as? String == "decimal")
    #expect(price["defaultValue"] as? String == "9.95")
    #expect(price["isOptional"] as? Bool == true)
    #expect(price["isTransient"] == nil)
    let loans = try #require((item["relationships"] as? [[String: Any]])?.first { $0["name"] as? String == "loans" })
    #expect(loans["deleteRule"] as? String == "cascade")
    #expect(loans["inverse"] as? String == "item")
    #expect(loans["isToMany"] as? Bool == true)
    #expect(loans["maximumCount"] == nil)
    #expect(entities.count == 10)
  }

  @Test("Version hashes are those that the sample store carries") func hashes() throws {
    let samples = Fixtures.packageRoot.appendingPathComponent("SampleModels")
    let entities = try #require(try versions("--versions", "V3")[0]["entities"] as? [[String: Any]])
    let hashes = entities.compactMap { $0["versionHash"] as? String }
    #expect(Set(hashes).count == 10)
    let store = try Data(contentsOf: samples.appendingPathComponent("Library.sqlite"))
    for hash in hashes {
      let bytes = try #require(Data(base64Encoded: hash))
      #expect(store.range(of: bytes) != nil, "\(hash) is not in the store")
    }
  }

  @Test("The same model gives the same bytes") func stable() throws {
    let first = try GenerateModelsTool.run(GenerateModelsTool.library, "--json").output
    #expect(try GenerateModelsTool.run(GenerateModelsTool.library, "--json").output == first)
    #expect(first.hasSuffix("}\n"))
  }

  @Test("Diagnostics have their parts; those of the generator are among them") func diagnostics() throws {
    let result = try GenerateModelsTool.run(GenerateModelsTool.library, "--json", "--dialect", "apple")
    let diagnostics = try #require(try JSONObject(result.output)["diagnostics"] as? [[String: Any]])
    let abstract = try #require(diagnostics.first { ($0["what"] as? String)?.contains("abstract") == true })
    #expect(abstract["severity"] as? String == "warning")
    #expect((abstract["file"] as? String)?.hasSuffix("contents") == true)
    #expect(abstract["line"] as? Int ?? 0 > 1)
    #expect((abstract["remedy"] as? String)?.isEmpty == false)
  }

  @Test("A model that cannot be read is a list of diagnostics, and status 2") func wrong() throws {
    let folder = try OutputFolder()
    let result = try GenerateModelsTool.run(try folder.bundle("<model>\n<entity name=\"A\">"), "--json")
    #expect(result.status == 2)
    let object = try JSONObject(result.output)
    #expect(object["versions"] == nil)
    #expect((object["diagnostics"] as? [[String: Any]])?.first?["line"] as? Int == 2)
    #expect(result.errors.contains(":2: error:"))
  }

  @Test("The description goes to a file where one is named, and never into a folder's place") func output() throws {
    let folder = try OutputFolder()
    try folder.write("old", to: "model.json")
    let file = folder.file("model.json").path
    #expect(try GenerateModelsTool.run(GenerateModelsTool.library, "--json", "--output", file).output.isEmpty)
    #expect(try JSONObject(try folder.text("model.json"))["name"] as? String == "Library")
    let result = try GenerateModelsTool.run(GenerateModelsTool.library, "--json", "--output", folder.path)
    #expect(result.status == 2)
    #expect(result.errors.contains("it is a folder"))
  }

  @Test("Every key that is printed is documented") func documented() throws {
    let article = try String(
      contentsOf: Fixtures.packageRoot.appendingPathComponent("Sources/SwiftData/SwiftData.docc/ModelsAsJSON.md"),
      encoding: .utf8)
    let results = [
      try GenerateModelsTool.run(GenerateModelsTool.library, "--json"),
      try GenerateModelsTool.run(GenerateModelsTool.library, "--check", "--json", "--output", "none"),
      try GenerateModelsTool.run(GenerateModelsTool.library, "--diff", "V2", "V3", "--json"),
    ]
    var keys: Set<String> = []
    for result in results { Self.collect(try JSONObject(result.output), into: &keys) }
    #expect(keys.count > 50)
    #expect(keys.filter { !article.contains("`\($0)`") } == [])
  }

  /// All keys but those of user info, which are the model's.
  private static func collect(_ value: Any, into keys: inout Set<String>) {
    if let object = value as? [String: Any] {
      for (key, value) in object {
        keys.insert(key)
        if key != "userInfo" { collect(value, into: &keys) }
      }
    } else if let list = value as? [Any] {
      for value in list { collect(value, into: &keys) }
    }
  }
}
