import Foundation
import TestSupport
import Testing

/// The public declarations of this module beside those of Apple's.
@Suite("Public names", .enabled(if: BuildProducts.shared != nil, "\(BuildProducts.explanation)"))
struct PublicSurfaceTests {
  @Test("Every public name of Apple's SwiftData is a public name of this module") func nothingIsMissing() async throws {
    let ours = try await PublicSurface.read().names
    let wanted = PublicSurface.entries(PublicNames.list)
    #expect(wanted.count > 350)
    // Members of a protocol that a type inherits, and the types of other modules, are listed with their members only.
    let names = wanted.map { $0.member.isEmpty ? $0.type : "\($0.type).\($0.member)" }
    let missing = names.filter { name in !ours.contains(name) && !(ours.contains { $0.hasPrefix(name + ".") }) }
    #expect(missing == [])
  }

  @Test("Functions have Apple's labels, and properties that are settable there are settable here")
  func signatures() async throws {
    let surface = try await PublicSurface.read()
    let wanted = PublicSurface.entries(PublicSignatures.members).filter { !$0.member.isEmpty }
    #expect(wanted.count > 200)
    var differences: Set<String> = []
    for (type, member) in wanted {
      let isSettable = member.hasSuffix("=")
      let name = "\(type).\(isSettable ? String(member.dropLast()) : member)"
      let declarations = surface.declarations[name] ?? []
      if declarations.isEmpty { differences.insert(name) }
      if isSettable, !declarations.contains(where: PublicSurface.isSettable) { differences.insert("\(name)=") }
    }
    // An exception that is none any more has to go.
    #expect(differences == Set(PublicSignatures.exceptions.keys))
  }

  @Test("Types have the conformances of Apple's") func conformances() async throws {
    let surface = try await PublicSurface.read()
    let wanted = PublicSurface.entries(PublicSignatures.conformances).filter { !$0.member.isEmpty }
    #expect(wanted.count > 80)
    let missing = wanted.filter { type, name in
      let ours = surface.conformances[type] ?? []
      return !(name == "Codable" ? ["Encodable", "Decodable"] : [name]).allSatisfy(ours.contains)
    }
    #expect(missing.map { "\($0.type): \($0.member)" } == [])
  }
}
