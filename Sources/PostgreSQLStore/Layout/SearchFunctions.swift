import PostgreSQL
import StoreRequests

/// The functions of a schema by which the server keeps the words of rows, whichever program writes them.
struct SearchFunctions {
  let schema: Identifier

  static let words: Identifier = "_store_words"
  static let lexemes: Identifier = "_store_lexemes"

  /// The words of a text, each between two blanks. A phrase of the text, in the same form, is a part of the result. So is the beginning of
  /// a word, with a blank before it.
  func words(of text: String) -> String { "\(schema).\(Self.words)(\(text))" }

  /// The words as an index has them: each once, and only the beginning of a long one.
  func lexemes(of words: String) -> String { "\(schema).\(Self.lexemes)(\(words))" }

  /// Any role may call the functions, since each change of a row does so.
  var definitions: [(name: Identifier, sql: String)] {
    [
      (Self.words, definition(Self.words, "(t text) RETURNS text", Self.wordsBody)),
      (Self.lexemes, definition(Self.lexemes, "(words text) RETURNS tsvector", Self.lexemesBody)),
    ]
  }

  private func definition(_ name: Identifier, _ types: String, _ body: String) -> String {
    """
    CREATE FUNCTION \(schema).\(name)\(types) LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS \(sqlLiteral(body));
    GRANT EXECUTE ON FUNCTION \(schema).\(name)(text) TO PUBLIC
    """
  }

  func removal(of name: Identifier) -> String { "DROP FUNCTION \(schema).\(name)(text)" }

  // MARK: Words

  /// Its literals are right for sessions of any program, whatever their settings.
  private static let wordsBody: String = {
    let isLatin = { (scalar: Unicode.Scalar) in scalar.value < 0x370 || (0x1E00...0x1EFF).contains(scalar.value) }
    let letters = WordTables.letters.filter { !$0.key.isASCII }
    let latin = translation(letters.filter { isLatin($0.key) }, frequent: latinLetters)
    let other = translation(letters.filter { !isLatin($0.key) }, frequent: otherLetters + latinLetters)
    let marks = sqlLiteral(ScalarRanges(WordRules.diacritics.map(\.value)).brackets)
    let separators = sqlLiteral("\(WordTables.separators.brackets)+")
    return """
      DECLARE words text := pg_catalog.lower(t COLLATE "C");
      BEGIN
        IF octet_length(t) = char_length(t) THEN
          words := regexp_replace(words, '[^a-z0-9]+', '  ', 'g');
        ELSE
          words := regexp_replace(words, \(marks), '', 'g');
          words := regexp_replace(words, \(separators), '  ', 'g');
      \(latin)\(other)  END IF;
        words := btrim(words, ' ');
        RETURN CASE WHEN words = '' THEN '' ELSE ' ' || words || ' ' END;
      END
      """
  }()

  // `translate` goes through its table for each character, so frequent ones come first, and few texts need the second table.
  private static let latinLetters = " etaoinshrdlucmfwygpbvkxjqz1203456789"
  private static let otherLetters = " оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфёαοιετσνηυρπκμλδγθφωχξβζψ"

  /// The statement that replaces letters by others, if a text has any of them.
  private static func translation(_ letters: [Unicode.Scalar: Unicode.Scalar], frequent: String) -> String {
    var (from, to) = (frequent.unicodeScalars, frequent.unicodeScalars)
    for (scalar, letter) in letters.sorted(by: { $0.key < $1.key }) {
      from.append(scalar)
      to.append(letter)
    }
    let changing = sqlLiteral(ScalarRanges(letters.keys.map(\.value).sorted()).brackets)
    return "    IF words ~ \(changing) THEN words := translate(words, '\(String(from))', '\(String(to))'); END IF;\n"
  }

  // MARK: Lexemes

  /// The characters of a word that the index has. The server takes no lexeme of more than 2 KB.
  private static let lexemeLength = 40

  /// A word as the index has it.
  static func lexeme(_ word: String) -> String { String(word.unicodeScalars.prefix(lexemeLength)) }

  /// The lexeme of a row with more words than the server takes. It stands for any word. No word is equal to it.
  static let anyWord = "*"

  /// The server takes lexemes of at most 1 MB in all.
  private static let lexemesBody = """
    DECLARE lexemes text[];
    BEGIN
      lexemes := ARRAY(
        SELECT DISTINCT left(w, \(lexemeLength)) FROM unnest(string_to_array(words, ' ')) w WHERE w <> '' AND w <> E'\\n');
      IF (SELECT sum(octet_length(l)) FROM unnest(lexemes) l) > 1000000 THEN lexemes := ARRAY['\(anyWord)']; END IF;
      RETURN array_to_tsvector(lexemes);
    END
    """
}
