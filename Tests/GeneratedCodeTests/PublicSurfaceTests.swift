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

  @Test("Declarations have Apple's kinds, labels, types, defaults, constraints, effects and isolation")
  func signatures() async throws {
    let ours = try await PublicSurface.read().signatures
    let wanted = PublicSignatures.declarations
    #expect(wanted.count > 450)
    let differences = wanted.filter { ours[$0.place]?.contains(PublicSignature($0.declaration)) != true }
    // An exception that is none any more has to go.
    #expect(Set(differences.map { "\($0.place): \($0.declaration)" }) == Set(PublicSignatures.exceptions.keys))
  }

  @Test("Types that take the place of Foundation's or SwiftUI's have Apple's labels") func labels() async throws {
    let surface = try await PublicSurface.read()
    let wanted = PublicSurface.entries(PublicSignatures.labels).filter { !$0.member.isEmpty }
    #expect(wanted.count > 30)
    var differences: Set<String> = []
    for (type, member) in wanted {
      let isSettable = member.hasSuffix("=")
      let name = "\(type).\(isSettable ? String(member.dropLast()) : member)"
      let declarations = surface.declarations[name] ?? []
      if declarations.isEmpty { differences.insert(name) }
      if isSettable, !declarations.contains(where: PublicSurface.isSettable) { differences.insert("\(name)=") }
    }
    #expect(differences == [])
  }

  @Test("A protocol has no requirement and an enumeration has no case that Apple's has not")
  func nothingIsAdded() async throws {
    let ours = try await PublicSurface.read().signatures
    let wanted = Dictionary(grouping: PublicSignatures.declarations, by: \.place).mapValues {
      Set($0.map { PublicSignature($0.declaration) })
    }
    var additions: Set<String> = []
    for (place, declarations) in wanted {
      let isProtocol = declarations.contains { $0.description.hasPrefix("protocol ") }
      // Nobody has to write what an extension of the protocol has.
      let extras = (ours[place] ?? []).subtracting(declarations).subtracting(ours["extension \(place)"] ?? [])
      for addition in extras
      where isProtocol || addition.description.hasPrefix("case ") || addition.description.hasPrefix("indirect case ") {
        additions.insert(place)
      }
    }
    #expect(additions == Set(PublicSignatures.additions.keys))
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
