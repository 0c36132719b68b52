extension Connection {
  /// Attaches a database for reading only: transactions of this connection take no lock for writing on it.
  ///
  /// See https://www.sqlite.org/lang_attach.html.
  /// - Throws: ``SQLiteError``
  package func attachReadOnly(_ path: String, as name: String) throws {
    let attach = try prepare("ATTACH ? AS \(Identifier(name))")
    try attach.bind(OpenMode.uri(of: path, "mode=ro"), at: 1)
    try attach.run()
  }
}
