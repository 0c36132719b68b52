extension LayoutDifference {
  /// Every fixture store, and what a new store of its model has otherwise; by ``LayoutDifference``.
  ///
  /// A line that is not true any more fails the test, and so does a difference without a line. The test prints the table as
  /// it has to be with `OPENSWIFTDATA_PRINT_TABLE` set.
  static let table = """
    alemar11__CoreDataPlus__hist8ecba29_SampleModel2V2.sqlite
      noHistory: ACHANGE
    alemar11__CoreDataPlus__hist8ecba29_SampleModel3_V1.sqlite
      noHistory: ACHANGE
    alemar11__CoreDataPlus__histc3ac256_SampleModelV2.sqlite, migrated
      createdLater: ZCAR ZCAR_ZOWNER_INDEX ZCAR_Z_ENT_INDEX Z_Car_byMakerAndNumberPlate
          Z_Car_UNIQUE_numberPlate Z_Person_UNIQUE_firstName_lastName
      noHistory: ACHANGE
    alemar11__CoreDataPlus__SampleModel2_V1.sqlite
      exact
    alemar11__CoreDataPlus__SampleModel3_V1.sqlite
      noHistory: ACHANGE
    alemar11__CoreDataPlus__SampleModel_V1.sqlite
      noHistory: ACHANGE
    bignerdranch__CoreDataStack__TestModel.sqlite
      noHistory: ACHANGE
    duckduckgo__BrowserServicesKit__Bookmarks_V1.sqlite
      noHistory: ACHANGE
    duckduckgo__BrowserServicesKit__Bookmarks_V2.sqlite
      noHistory: ACHANGE
    duckduckgo__BrowserServicesKit__Bookmarks_V3.sqlite
      noHistory: ACHANGE
    duckduckgo__BrowserServicesKit__Bookmarks_V5.sqlite
      noHistory: ACHANGE
    embrace-io__embrace-apple-sdk__tmp_db.sqlite
      noHistory: ACHANGE
    kodecocodes__cdt-materials__SurfJournalModel.sqlite
      noHistory: ACHANGE
      noModelCache: Z_MODELCACHE
    log2timeline__plaso__DataUsage.sqlite
      noHistory: ACHANGE
    log2timeline__plaso__knowledgec-10.14.db
      noHistory: ACHANGE
    log2timeline__plaso__netusage.sqlite
      noHistory: ACHANGE
    log2timeline__plaso__RMAdminStore-Local.sqlite
      exact
    magicalpanda__MagicalRecord__Recipes.sqlite
      formerCreation: ZINGREDIENT ZRECIPE ZRECIPETYPE
      noHistory: ACHANGE
      noModelCache: Z_MODELCACHE
      unsortedColumns: ZRECIPE
    MatthewHunt84__MetaCocktailsSwiftData__hist3292fc7_default.store
      exact
    MatthewHunt84__MetaCocktailsSwiftData__histf1fca61_default.store
      exact
    nobelnrj__myhome__MyHomeV1Seed.store
      exact
    OgreSwamp__XCakeLabs_LocalizationLab__CoreDataBooks.CDBStore
      formerCreation: ZBOOK
      noHistory: ACHANGE
      noModelCache: Z_MODELCACHE
    openhouse__osxphotos__Test-10.15.7_Photos.sqlite, migrated
      createdLater: 289, Z_InternalResource_byCloudMasterDateCreatedIndex …
          ZT_ZPHOTOSHIGHLIGHT_ZEXTENDEDCOUNT_ZGENERICASSET_ZHIGHLIGHTBEINGEXTENDEDASSETS_UPDATE_DECREMENT
      droppedIndex: ZGENERICASSET_Z_ENT_INDEX
      formerName: Z_34SUGGESTIONSBEINGREPRESENTATIVEASSETS_Z_51SUGGESTIONSBEINGREPRESENTATIVEASSETS_INDEX
          Z_34SUGGESTIONSBEINGKEYASSETS_Z_51SUGGESTIONSBEINGKEYASSETS_INDEX
      formerSpacing: Z_GenericAsset_byMonthHighlightBeingFirstAsset
      orderColumns: ZCLOUDSHAREDCOMMENT ZGENERICASSET
      ownIndex: RADAR_22158684_INDEX RADAR_10322662_INDEX RADAR_45737537_UNIQUE_INDEX
    openhouse__osxphotos__Test-14.0.0_Photos.sqlite, migrated
      appendedColumns: 21, ZCLOUDMASTER … ZASSET
      createdLater: 360, Z_3SUGGESTIONSBEINGREPRESENTATIVEASSETS …
          Z_DA_ZADDITIONALASSETATTRIBUTES_Asset_derivedCameraCaptureDevice_PARAMETER_UPDATE
      formerIndex: Z_Album_searchIndexRebuildState Z_FetchingAlbum_searchIndexRebuildState
      formerName: 80, Z_1KEYWORDS_Z_37KEYWORDS_INDEX … Z_Share_shareURL
      joinOrder: Z_18REJECTEDPERSONS Z_18REJECTEDPERSONSNEEDINGFACECROPS
      ownIndex: RADAR_22158684_INDEX RADAR_10322662_INDEX
      quotedName: 13, Z_18CLUSTERREJECTEDPERSONS … Z_47INVALIDMERGECANDIDATES
    openhouse__osxphotos__Test-16.0.0-beta_Photos.sqlite
      orderColumns: ZASSET
      orderKeyIndex: Z_32ASSETS_Z_32ALBUMS_Z_3ASSETS_Z_FOK_3ASSETS_INDEX
          Z_32ASSETS_Z_32ALBUMS_Z_FOK_3ASSETS_Z_3ASSETS_INDEX
    openhouse__osxphotos__Test-Empty-Library-Ventura-13-5_Photos.sqlite
      ownIndex: RADAR_10322662_INDEX RADAR_22158684_INDEX
    openhouse__osxphotos__TestTimeWarp-10.15.7_CLSContactCache.sqlite
      noHistory: ACHANGE
    sergd2005__ResourcesManager__histbc3d34e_default.store
      exact
    thierryH91200__Pegase__MyDB.sqlite
      noHistory: ACHANGE
    thierryH91200__WelcomeTo__SampleWelcomeTo.store
      exact
    TrinsicVentures__FreezeRay__App-1_0_0.sqlite
      exact
    TrinsicVentures__FreezeRay__App-2_0_0.sqlite
      exact
    wibosco__CoreDataMigrationRevised-Example__CoreDataMigration_Example_1.sqlite
      noHistory: ACHANGE
    wibosco__CoreDataMigrationRevised-Example__CoreDataMigration_Example_2.sqlite, migrated
      createdLater: ZPOST
      noHistory: ACHANGE
    wireapp__wire-ios-data-model__store1-24.wiredatabase
      indexedAttribute: ZCONVERSATION_ZNORMALIZEDUSERDEFINEDNAME_INDEX
          ZCONVERSATION_ZREMOTEIDENTIFIER_DATA_INDEX ZCONVERSATION_ZINTERNALISARCHIVED_ZLASTMODIFIEDDATE
          ZPERSONALINVITATION_ZREMOTEIDENTIFIER_DATA_INDEX ZUSER_ZNORMALIZEDEMAILADDRESS_INDEX
          ZUSER_ZNORMALIZEDNAME_INDEX ZUSER_ZREMOTEIDENTIFIER_DATA_INDEX
      noHistory: ACHANGE
    wireapp__wire-ios-data-model__store2-21-1.wiredatabase, migrated
      createdLater: 42, ZUSERCLIENT … Z_PRIMARYKEY
      indexedAttribute: ZCONVERSATION_ZNORMALIZEDUSERDEFINEDNAME_INDEX
          ZCONVERSATION_ZREMOTEIDENTIFIER_DATA_INDEX ZCONVERSATION_ZINTERNALISARCHIVED_ZLASTMODIFIEDDATE
          ZMESSAGE_ZDESTRUCTIONDATE_INDEX ZMESSAGE_ZNONCE_DATA_INDEX ZUSER_ZNORMALIZEDEMAILADDRESS_INDEX
          ZUSER_ZNORMALIZEDNAME_INDEX ZUSER_ZREMOTEIDENTIFIER_DATA_INDEX
      noHistory: ACHANGE
      orderColumns: ZMESSAGE
    wireapp__wire-ios-data-model__store2-28-0.wiredatabase, migrated
      createdLater: 46, ZUSERCLIENT … ZMESSAGE_Z_ENT_INDEX
      indexedAttribute: ZCONVERSATION_ZNORMALIZEDUSERDEFINEDNAME_INDEX
          ZCONVERSATION_ZREMOTEIDENTIFIER_DATA_INDEX ZCONVERSATION_ZINTERNALISARCHIVED_ZLASTMODIFIEDDATE
          ZADDRESSBOOKENTRY_ZLOCALIDENTIFIER_INDEX ZUSER_ZNORMALIZEDEMAILADDRESS_INDEX
          ZUSER_ZNORMALIZEDNAME_INDEX ZUSER_ZREMOTEIDENTIFIER_DATA_INDEX ZMESSAGE_ZDESTRUCTIONDATE_INDEX
          ZMESSAGE_ZEXPIRATIONDATE_INDEX ZMESSAGE_ZNONCE_DATA_INDEX ZMESSAGE_ZNORMALIZEDTEXT_INDEX
      noHistory: ACHANGE
      orderColumns: ZMESSAGE
    wireapp__wire-ios-data-model__store2-4.wiredatabase
      indexedAttribute: ZCONVERSATION_ZNORMALIZEDUSERDEFINEDNAME_INDEX
          ZCONVERSATION_ZREMOTEIDENTIFIER_DATA_INDEX ZCONVERSATION_ZINTERNALISARCHIVED_ZLASTMODIFIEDDATE
          ZMESSAGE_ZNONCE_DATA_INDEX ZPERSONALINVITATION_ZREMOTEIDENTIFIER_DATA_INDEX
          ZUSER_ZNORMALIZEDEMAILADDRESS_INDEX ZUSER_ZNORMALIZEDNAME_INDEX
          ZUSER_ZREMOTEIDENTIFIER_DATA_INDEX
      joinOrder: Z_9REMOVEDUSERS Z_9USERS Z_14IGNOREDCLIENTS Z_9REMOVEDUSERS_Z_13REMOVEDUSERS_INDEX
          Z_9USERS_Z_13USERS_INDEX Z_14IGNOREDCLIENTS_Z_14IGNOREDCLIENTS_INDEX
      noHistory: ACHANGE
      orderColumns: ZMESSAGE
    wireapp__wire-ios-data-model__store2-48-0.wiredatabase, migrated
      createdLater: 62, ZCONNECTION … Z_User_remoteIdentifier_data
      indexedAttribute: ZADDRESSBOOKENTRY_ZLOCALIDENTIFIER_INDEX
      noHistory: ACHANGE
      orderColumns: ZMESSAGE
    wireapp__wire-ios-data-model__store2-57-0.wiredatabase, migrated
      createdLater: 63, ZCONNECTION … Z_User_remoteIdentifier_data
      indexedAttribute: ZADDRESSBOOKENTRY_ZLOCALIDENTIFIER_INDEX
      noHistory: ACHANGE
      orderColumns: ZMESSAGE
    wireapp__wire-ios-data-model__store2-63-0.wiredatabase, migrated
      createdLater: 65, ZCONNECTION … Z_User_remoteIdentifier_data
      indexedAttribute: ZADDRESSBOOKENTRY_ZLOCALIDENTIFIER_INDEX
      noHistory: ACHANGE
    wireapp__wire-ios-data-model__store2-69-0.wiredatabase, migrated
      createdLater: 66, ZCONNECTION … Z_User_remoteIdentifier_data
      indexedAttribute: ZADDRESSBOOKENTRY_ZLOCALIDENTIFIER_INDEX
      noHistory: ACHANGE
    wireapp__wire-ios-data-model__store2-75-0.wiredatabase, migrated
      createdLater: 70, ZCONNECTION … Z_User_remoteIdentifier_data
      indexedAttribute: ZADDRESSBOOKENTRY_ZLOCALIDENTIFIER_INDEX
      noHistory: ACHANGE
    wireapp__wire-ios-data-model__store2-82-0.wiredatabase, migrated
      createdLater: 84, ZCONNECTION … Z_PRIMARYKEY
      formerName: Z_1ROLE_Z_19ROLE_INDEX Z_5LABELS_Z_7LABELS_INDEX
          Z_5LASTSERVERSYNCEDACTIVEPARTICIPANTS_Z_22LASTSERVERSYNCEDACTIVEPARTICIPANTS_INDEX
          Z_14ADDEDUSERS_Z_22ADDEDUSERS_INDEX Z_14USERS_Z_22USERS1_INDEX
          Z_14REMOVEDUSERS_Z_22REMOVEDUSERS_INDEX Z_14CLIENTS_Z_23CLIENTS_INDEX Z_18USERS_Z_22USERS_INDEX
          Z_23TRUSTEDCLIENTS_Z_23TRUSTEDCLIENTS_INDEX Z_23IGNOREDCLIENTS_Z_23IGNOREDCLIENTS_INDEX
      indexedAttribute: ZADDRESSBOOKENTRY_ZLOCALIDENTIFIER_INDEX
      noHistory: ACHANGE
      quotedName: Z_24TRUSTEDCLIENTS Z_24IGNOREDCLIENTS Z_15ADDEDUSERS Z_15USERS Z_15REMOVEDUSERS
          Z_15CLIENTS Z_19USERS
    wireapp__wire-ios-data-model__store2-89-0.wiredatabase, migrated
      appendedColumns: ZGENERICMESSAGEDATA ZUSER ZCONVERSATION ZUSERCLIENT ZMESSAGE
      createdLater: 86, ZCONNECTION … Z_PRIMARYKEY
      formerName: 20, Z_1ROLE_Z_19ROLE_INDEX … Z_24IGNOREDCLIENTS_Z_24IGNOREDCLIENTS_INDEX
      indexedAttribute: ZADDRESSBOOKENTRY_ZLOCALIDENTIFIER_INDEX
      noHistory: ACHANGE
      quotedName: Z_25TRUSTEDCLIENTS Z_25IGNOREDCLIENTS Z_16ADDEDUSERS Z_16USERS Z_16REMOVEDUSERS
          Z_16CLIENTS Z_20USERS
    wireapp__wire-ios-data-model__store2-95-0.wiredatabase, migrated
      appendedColumns: ZGENERICMESSAGEDATA ZUSER ZCONVERSATION ZUSERCLIENT ZMESSAGE ZFEATURE
      createdLater: 85, ZCONNECTION … Z_Conversation_internalIsArchived_lastModifiedDate
      formerName: 20, Z_1ROLE_Z_19ROLE_INDEX … Z_24IGNOREDCLIENTS_Z_24IGNOREDCLIENTS_INDEX
      indexedAttribute: ZADDRESSBOOKENTRY_ZLOCALIDENTIFIER_INDEX
      noHistory: ACHANGE
      quotedName: Z_25TRUSTEDCLIENTS Z_25IGNOREDCLIENTS Z_16ADDEDUSERS Z_16USERS Z_16REMOVEDUSERS
          Z_16CLIENTS Z_20USERS
    wireapp__wire-ios-data-model__store2-99-0.wiredatabase, migrated
      appendedColumns: ZGENERICMESSAGEDATA ZUSER ZCONVERSATION ZUSERCLIENT ZMESSAGE ZFEATURE
      createdLater: 84, ZCONNECTION … Z_User_remoteIdentifier_data
      formerName: 18, Z_1ROLE_Z_19ROLE_INDEX … Z_24IGNOREDCLIENTS_Z_24IGNOREDCLIENTS_INDEX
      indexedAttribute: ZADDRESSBOOKENTRY_ZLOCALIDENTIFIER_INDEX
      joinMaster: Z_25TRUSTEDBYCLIENTS Z_23TRUSTEDCLIENTS_Z_23TRUSTEDCLIENTS_INDEX
          Z_24TRUSTEDCLIENTS_Z_24TRUSTEDCLIENTS_INDEX Z_25TRUSTEDCLIENTS_Z_25TRUSTEDCLIENTS_INDEX
          Z_25TRUSTEDBYCLIENTS_Z_25TRUSTEDBYCLIENTS_INDEX Z_25TRUSTEDCLIENTS
      noHistory: ACHANGE
      quotedName: Z_25IGNOREDCLIENTS Z_16ADDEDUSERS Z_16USERS Z_16REMOVEDUSERS Z_16CLIENTS Z_20USERS
    yepher__CoreDataUtility__fetchRequestorig.sqlite
      noHistory: ACHANGE
      noModelCache: Z_MODELCACHE
    yepher__CoreDataUtility__SingleEntitySingleAttribut.sqlite
      noHistory: ACHANGE
      noModelCache: Z_MODELCACHE
    """
}
