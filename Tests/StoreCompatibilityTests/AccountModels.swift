import Foundation
import SwiftData

/// The classes of Pegase, a program that keeps accounts with Core Data: an ordered hierarchy, cascades, colours by a
/// transformer, documents in files, attributes that are not stored.
enum Pegase {
  @Model final class EntityAccount {
    var name: String?
    var nameImage: String?
    var uuid: UUID
    var type: Int16?
    var isAccount: Bool?
    var isDemo: Bool?
    var isFolder: Bool?
    var isHeader: Bool?
    var isRoot: Bool?
    var dateEcheancier: Date?
    @Attribute(.ephemeral) var solde: Double? = 0
    @Relationship(.ordered, inverse: \EntityAccount.parent) var children: [EntityAccount]?
    var parent: EntityAccount?
    @Relationship(deleteRule: .cascade, inverse: \EntityBank.account) var bank: EntityBank?
    @Relationship(inverse: \EntityBankStatement.account) var bankStatement: [EntityBankStatement]?
    @Relationship(deleteRule: .cascade, inverse: \EntityCarnetCheques.account) var carnetCheques: [EntityCarnetCheques]?
    @Relationship(inverse: \EntitySchedule.compteLie) var compteLie: EntitySchedule?
    @Relationship(deleteRule: .cascade, inverse: \EntitySchedule.account) var echeanciers: [EntitySchedule]?
    @Relationship(deleteRule: .cascade, inverse: \EntityIdentity.account) var identity: EntityIdentity?
    @Relationship(deleteRule: .cascade, inverse: \EntityInitAccount.account) var initAccount: EntityInitAccount?
    @Relationship(deleteRule: .cascade, inverse: \EntityPaymentMode.account) var paymentMode: [EntityPaymentMode]?
    @Relationship(deleteRule: .cascade, inverse: \EntityPreference.account) var preference: EntityPreference?
    @Relationship(deleteRule: .cascade, inverse: \EntityRubric.account) var rubric: [EntityRubric]?
    @Relationship(deleteRule: .cascade, inverse: \EntityTransactions.account) var transactions: [EntityTransactions]?

    init(name: String) {
      self.name = name
      uuid = UUID()
    }
  }

  @Model final class EntityBank {
    var uuid: UUID?
    var name: String?
    var bank: String?
    var adress: String?
    var complement: String?
    var cp: Int32?
    var town: String?
    var country: String?
    var email: String?
    var phone: String?
    var mobile: String?
    var fonction: String?
    var account: EntityAccount?
    init() {}
  }

  @Model final class EntityBankStatement {
    var uuid: UUID?
    var number: Double?
    var dateDebut: Date?
    var dateInter: Date?
    var dateFin: Date?
    var dateCB: Date?
    var soldeDebut: Double?
    var soldeInter: Double?
    var soldeFin: Double?
    var soldeCB: Double?
    var pdfName: String?
    @Attribute(.externalStorage) var pdfDoc: Data?
    var account: EntityAccount?
    init() {}
  }

  @Model final class EntityCarnetCheques {
    var uuid: UUID?
    var name: String?
    var prefix: String?
    var nbCheques: Int32?
    var numPremier: Int32?
    var numSuivant: Int32?
    var account: EntityAccount?
    init() {}
  }

  @Model final class EntityCategory {
    var uuid: UUID?
    var name: String
    var objectif: Double?
    var rubric: EntityRubric?
    @Relationship(inverse: \EntityPreference.category) var preference: EntityPreference?
    @Relationship(inverse: \EntitySchedule.category) var echeancier: [EntitySchedule]?
    @Relationship(inverse: \EntitySousOperations.category) var sousOperations: [EntitySousOperations]?
    init(name: String) { self.name = name }
  }

  @Model final class EntityIdentity {
    var name: String?
    var surName: String?
    var nameImage: String?
    var adress: String?
    var complement: String?
    var cp: Int32?
    var town: String?
    var country: String?
    var email: String?
    var phone: String?
    var mobile: String?
    var account: EntityAccount?
    init() {}
  }

  @Model final class EntityInitAccount {
    var bic: String?
    var cleRib: String?
    var codeAccount: String?
    var codeBank: String?
    var codeGuichet: String?
    var iban1: String?
    var iban2: String?
    var iban3: String?
    var iban4: String?
    var iban5: String?
    var iban6: String?
    var iban7: String?
    var iban8: String?
    var iban9: String?
    var engage: Double?
    var prevu: Double?
    var realise: Double?
    var account: EntityAccount?
    init() {}
  }

  @Model final class EntityPaymentMode {
    var uuid: UUID?
    var name: String?
    @Attribute(.transformable(by: NSColorValueTransformer.self)) var color: ArchivedColor?
    var account: EntityAccount?
    @Relationship(inverse: \EntityPreference.paymentMode) var preference: EntityPreference?
    @Relationship(inverse: \EntitySchedule.paymentMode) var echeancier: [EntitySchedule]?
    @Relationship(inverse: \EntityTransactions.paymentMode) var transactions: [EntityTransactions]?
    init() {}
  }

  @Model final class EntityPreference {
    var signe: Bool?
    var statut: Int16?
    var account: EntityAccount?
    var category: EntityCategory?
    var paymentMode: EntityPaymentMode?
    init() {}
  }

  @Model final class EntityRubric {
    var uuid: UUID
    var name: String
    @Attribute(.ephemeral) var total: Double? = 0
    @Attribute(.transformable(by: NSColorValueTransformer.self)) var color = ArchivedColor(bytes: Data())
    var account: EntityAccount?
    @Relationship(deleteRule: .cascade, inverse: \EntityCategory.rubric) var category: [EntityCategory]?

    init(name: String, color: ArchivedColor) {
      uuid = UUID()
      self.name = name
      self.color = color
    }
  }

  @Model final class EntitySchedule {
    var uuid: UUID?
    var libelle: String?
    var amount: Double?
    var dateCree: Date?
    var dateModifie: Date?
    var dateDebut: Date?
    var dateFin: Date?
    var dateValeur: Date?
    var frequence: Int16?
    var typeFrequence: Int16?
    var occurence: Int16?
    var nextOccurence: Int16?
    var account: EntityAccount?
    var category: EntityCategory?
    var compteLie: EntityAccount?
    var paymentMode: EntityPaymentMode?
    init() {}
  }

  @Model final class EntitySousOperations {
    var libelle: String?
    var amount: Double?
    var category: EntityCategory?
    var transaction: EntityTransactions?
    init() {}
  }

  @Model final class EntityTransactions {
    var uuid: UUID?
    var amount: Double?
    var bankStatement: Double?
    var checkNumber: String?
    var statut: Int16?
    var dateCree: Date?
    var dateModifie: Date?
    var dateOperation: Date?
    var datePointage: Date?
    @Attribute(.ephemeral) var solde: Double? = 0
    @Attribute(.ephemeral) var sectionIdentifier: String?
    @Attribute(.ephemeral) var sectionYear: String?
    var account: EntityAccount?
    /// The relationship is its own inverse.
    @Relationship(.selfInverse) var operationLiee: EntityTransactions?
    var paymentMode: EntityPaymentMode?
    @Relationship(inverse: \EntitySousOperations.transaction) var sousOperations: [EntitySousOperations]?
    init() {}
  }

  static let types: [any PersistentModel.Type] = [
    EntityAccount.self, EntityBank.self, EntityBankStatement.self, EntityCarnetCheques.self, EntityCategory.self,
    EntityIdentity.self, EntityInitAccount.self, EntityPaymentMode.self, EntityPreference.self, EntityRubric.self,
    EntitySchedule.self, EntitySousOperations.self, EntityTransactions.self,
  ]
}

/// A colour, as the archive made by the application's transformer; the tests do not decode it.
struct ArchivedColor: Equatable, PlainBytes { var bytes: Data }

final class NSColorValueTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? { (value as? ArchivedColor)?.bytes }
  override func reverseTransformedValue(_ value: Any?) -> Any? { (value as? Data).map(ArchivedColor.init) }
}
