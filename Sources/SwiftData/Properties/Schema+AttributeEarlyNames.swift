/// Names of the first betas, which articles and old code still have.
extension Schema.Attribute.Option {
  /// The first betas' name of ``allowsCloudEncryption``; not in Apple's release.
  public static var encrypt: Self { .allowsCloudEncryption }
}
