import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// Pegase, whose store Core Data wrote: thirteen entities with relationships of every kind.
@Suite(.enabled(if: Fixtures.areAvailable, "needs ../shared/fixtures"))
struct AccountStoreTests {
  private static let store = RealStore(
    file: "thierryH91200__Pegase__MyDB.sqlite", types: Pegase.types,
    pairs: [
      "EntityAccount.children":
        "SELECT ZPARENT, Z_PK FROM ZENTITYACCOUNT WHERE ZPARENT IS NOT NULL ORDER BY Z_FOK_PARENT",
      "EntityAccount.bankStatement": members("ACCOUNT", "BANKSTATEMENT"),
      "EntityAccount.carnetCheques": members("ACCOUNT", "CARNETCHEQUES"),
      "EntityAccount.echeanciers": members("ACCOUNT", "SCHEDULE"),
      "EntityAccount.paymentMode": members("ACCOUNT", "PAYMENTMODE"),
      "EntityAccount.rubric": members("ACCOUNT", "RUBRIC"),
      "EntityAccount.transactions": members("ACCOUNT", "TRANSACTIONS"),
      "EntityCategory.echeancier": members("CATEGORY", "SCHEDULE"),
      "EntityCategory.sousOperations": members("CATEGORY", "SOUSOPERATIONS"),
      "EntityPaymentMode.echeancier": members("PAYMENTMODE", "SCHEDULE"),
      "EntityPaymentMode.transactions": members("PAYMENTMODE", "TRANSACTIONS"),
      "EntityRubric.category": members("RUBRIC", "CATEGORY"),
      "EntityTransactions.sousOperations": members("TRANSACTION", "SOUSOPERATIONS"),
    ])

  private static func members(_ key: String, _ entity: String) -> String {
    "SELECT Z\(key), Z_PK FROM ZENTITY\(entity) WHERE Z\(key) IS NOT NULL ORDER BY Z_PK"
  }

  @Test func `CD-3 CD-5 Pegase: an ordered hierarchy, cascades, colours, files, a relationship with itself`() throws {
    let document = Data.pattern(count: 200_000) { UInt8(truncatingIfNeeded: $0 &* 31) }
    let copy = try Self.store.test { context in
      let root = try #require(try account("Root", in: context))
      let folders = try #require(root.children)
      #expect(folders.count == 2 && folders.allSatisfy { $0.parent === root && $0.isHeader == true })
      let used = try #require(
        try context.fetch(FetchDescriptor<Pegase.EntityAccount>()).first { $0.preference != nil })
      #expect(used.transactions?.count == 24 && used.preference?.category?.rubric?.account === used)

      // Inserts an object of every entity.
      let new = Pegase.EntityAccount(name: "New")
      new.type = -1
      new.solde = 7
      new.bank = Pegase.EntityBank()
      new.bank?.cp = 75_001
      new.identity = Pegase.EntityIdentity()
      new.initAccount = Pegase.EntityInitAccount()
      new.initAccount?.iban9 = "9"
      new.preference = Pegase.EntityPreference()
      let mode = Pegase.EntityPaymentMode()
      mode.color = used.paymentMode?.first?.color
      new.paymentMode = [mode]
      new.preference?.paymentMode = mode
      let rubric = Pegase.EntityRubric(name: "R", color: ArchivedColor(bytes: Data([1])))
      new.rubric = [rubric]
      rubric.category = [Pegase.EntityCategory(name: "C1"), Pegase.EntityCategory(name: "C2")]
      let statement = Pegase.EntityBankStatement()
      statement.pdfDoc = document
      let short = Pegase.EntityBankStatement()
      short.pdfDoc = Data([1, 2, 3])
      new.bankStatement = [statement, short]
      new.carnetCheques = [Pegase.EntityCarnetCheques()]
      let schedule = Pegase.EntitySchedule()
      schedule.category = rubric.category?.first
      schedule.paymentMode = mode
      schedule.compteLie = used
      new.echeanciers = [schedule]
      let (paid, received) = (Pegase.EntityTransactions(), Pegase.EntityTransactions())
      paid.sousOperations = [Pegase.EntitySousOperations(), Pegase.EntitySousOperations()]
      paid.operationLiee = received
      received.datePointage = .distantFuture
      new.transactions = [paid, received]
      folders[0].children?.insert(new, at: 1)

      // Reorders the hierarchy, and moves an account.
      root.children = [folders[1], folders[0]]
      let moved = try #require(folders[1].children?.first)
      folders[0].children?.append(moved)
      // Deletes an account with its cascades, and removes a link.
      let gone = try #require(folders[0].children?.last { $0 !== new && $0 !== moved && $0 !== used })
      context.delete(gone)
      used.transactions?.first?.amount = 0.1
      used.transactions?.last?.sousOperations = nil
      used.preference?.category = nil
    } verify: { (context) throws in
      let root = try #require(try account("Root", in: context))
      let new = try #require(try account("New", in: context))
      let folders = try #require(root.children)
      #expect(folders.count == 2 && folders[1].children?.contains { $0 === new } == true)
      #expect(new.solde == 0, "it is not stored")
      #expect(new.bank?.cp == 75_001 && new.bank?.account === new && new.initAccount?.iban9 == "9")
      #expect(new.preference?.paymentMode?.color?.bytes.starts(with: Data("bplist00".utf8)) == true)
      #expect(new.rubric?.first?.color.bytes == Data([1]) && new.rubric?.first?.category?.count == 2)
      #expect(new.bankStatement?.contains { $0.pdfDoc == document } == true)
      #expect(new.bankStatement?.contains { $0.pdfDoc == Data([1, 2, 3]) } == true)
      #expect(new.echeanciers?.first?.compteLie?.compteLie === new.echeanciers?.first)
      let linked = new.transactions?.compactMap(\.operationLiee)
      #expect(linked?.count == 2 && linked?.allSatisfy { $0.operationLiee?.operationLiee === $0 } == true)
    }
    let files = try FileManager.default.subpathsOfDirectory(atPath: copy.folder.path).filter {
      $0.contains("_EXTERNAL_DATA/")
    }
    #expect(files.count == 1, "the long document has a file, the short one none")
  }

  @Test func `CD-6 Pegase: deleting an account deletes the objects that belong to it alone`() throws {
    try Self.store.test { context in
      let used = try #require(try context.fetch(FetchDescriptor<Pegase.EntityAccount>()).first { $0.preference != nil })
      let folder = try #require(used.parent)
      let others = (folder.children ?? []).filter { $0 !== used }.map(\.persistentModelID)
      context.delete(used)
      try context.save()
      #expect(folder.children?.map(\.persistentModelID) == others)
    } verify: { (context) throws in
      #expect(try context.fetchCount(FetchDescriptor<Pegase.EntityAccount>()) == 8)
      #expect(try context.fetchCount(FetchDescriptor<Pegase.EntityTransactions>()) == 0)
      #expect(try context.fetchCount(FetchDescriptor<Pegase.EntityPreference>()) == 0)
      // The model's delete rules nullify these.
      let left = try context.fetch(FetchDescriptor<Pegase.EntitySousOperations>())
      #expect(left.count == 24 && left.allSatisfy { $0.transaction == nil })
    }
  }

  private func account(_ name: String, in context: ModelContext) throws -> Pegase.EntityAccount? {
    try context.fetch(FetchDescriptor<Pegase.EntityAccount>(predicate: #Predicate { $0.name == name })).first
  }
}
