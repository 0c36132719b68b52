import Foundation
import TestSupport

/// What the independent checker, which knows nothing of this project, says of a store: where all is, and what is wrong.
struct RealStoresOracle: Decodable, Sendable {
  let entities: [Entity]
  /// Failed checks, each with what it found.
  let failures: [String]
  /// What the checker tolerates, but would rather not see; without the numbers of rows.
  let warnings: [String]

  struct Entity: Decodable, Sendable {
    let name: String
    let table: String
    /// `Z_ENT` of the entity and of its subentities.
    let kinds: [Int]
    let attributes: [Attribute]
    let toOne: [ToOne]
    let toMany: [ToMany]
  }

  struct Attribute: Decodable, Sendable {
    let name: String
    /// One, or the leaves of a composite in declared order.
    let columns: [String]
    let isExternal: Bool
  }

  struct ToOne: Decodable, Sendable {
    let name: String
    let key: String
    let table: String
  }

  struct ToMany: Decodable, Sendable {
    let name: String
    /// Where the pairs are: the destination's table, or a join table.
    let pairs: String
    let owner: String
    let member: String
    let order: String?
    let table: String
    let kinds: [Int]
  }

  /// - Parameter model: an archive or XML of the store's model, where the store carries none.
  init(_ store: URL, model: URL? = nil) throws {
    let report = try Oracle.run(script: Self.script, [store.path] + (model.map { [$0.path] } ?? []))
    guard report.status == 0 else { throw Failure(output: report.output) }
    self = try JSONDecoder().decode(RealStoresOracle.self, from: Data(report.output.utf8))
  }

  struct Failure: Error {
    let output: String
  }

  private static let script = """
    import json, re, sys, tempfile
    import check_store as c, version_hashes as vh

    def places(s, checker):
        schema = checker.schema
        for n in schema.order:
            def of(entity, path, role, table):
                return next((x for x in schema.columns[table] if (x.entity, x.path, x.role) == (entity, path, role)), None)
            out = dict(name=n, table=schema.table[n], kinds=[schema.number[d] for d in schema.subtree(n) if d in schema.number],
                       attributes=[], toOne=[], toMany=[])
            for name, p in sorted(schema.props[n].items()):
                if p.kind == 'fetched' or p.transient: continue
                owner = next(e for e in schema.chain(n) if name in schema.props[e])
                if p.kind != 'relationship':
                    leaves = [of(owner, path, 'attribute', schema.table[n]) for path, _ in schema.leaves(p)]
                    out['attributes'].append(dict(name=name, columns=[x.name for x in leaves if x],
                                                  isExternal=p.type == c.BINARY and p.external))
                    continue
                far = schema.table[p.dest]
                kinds = [schema.number[d] for d in schema.subtree(p.dest) if d in schema.number]
                if p.max == 1:
                    out['toOne'].append(dict(name=name, key=of(owner, name, 'toone', schema.table[n]).name, table=far))
                    continue
                inverse = schema.inverse(p)
                if inverse and inverse[1].max != 1:
                    pairs, (join, first, second) = next((t, j) for t, j in checker.join_tables.items()
                                                        if (owner, name) in (j[0].master[:2], j[0].other[:2]))
                    mine, other = (first, second) if join.master[:2] == (owner, name) else (second, first)
                    order = 'Z_FOK_' + other[2:] if p.ordered and second != 'REFLEXIVE' else None
                    out['toMany'].append(dict(name=name, pairs=pairs, owner=mine, member=other, order=order, table=far, kinds=kinds))
                else:
                    key = of(inverse[0], inverse[1].name, 'toone', far) if inverse else of(owner, name, 'virtual', far)
                    order = next((x.name for x in schema.columns[far] if x.role == 'order' and x.of == key.name), None)
                    out['toMany'].append(dict(name=name, pairs=far, owner=key.name, member='Z_PK', order=order, table=far, kinds=kinds))
            yield out

    with tempfile.TemporaryDirectory() as scratch:
        s = c.Store(sys.argv[1], scratch)
        if len(sys.argv) > 2:
            s.model, s.get, s.model_problem = vh.model_of(sys.argv[2]), lambda *keys: None, ''
            for entity in s.model.entities.values(): entity.raw = None
        checker = c.Checker(s, False)
        groups = checker.run()
        print(json.dumps(dict(
            entities=list(places(s, checker)) if checker.schema else [],
            failures=[f'{g.fact} {g.what}: {f}' for g in groups for f in g.failures],
            warnings=sorted({f'{g.fact} {g.what}: ' + re.sub(r': \\d+ of \\d+.*', '', w) for g in groups for w in g.warnings}))))
    """
}
