package import Foundation
package import ManagedModel
import PropertyLists

/// Compiled models: the keyed archive of a managed object model, as in `.mom` files and in stores (VH-15, CD-1.4).
///
/// An archive has no place for what only Xcode's sources state, nor for an order of entities and properties: what ``decode(_:)``
/// of ``encode(_:as:)`` gives back is the rest of a model, and what Core Data's compiler adds to it.
package enum ModelArchive {
  /// The two layouts of a model's objects.
  package enum Form: Sendable, Hashable {
    /// A `.mom` file: every entity holds its own properties, the model its entities in a plain dictionary.
    case compiledModel
    /// `Z_MODELCACHE`: entities hold copies of inherited properties too, and the model's dictionary knows its keys.
    case modelCache
  }

  /// How much a cached model may decompress to; the largest seen takes 362 KB.
  static let maximumByteCount = 64 << 20

  /// Reads a `.mom` file or an inflated model cache from untrusted bytes, in time linear in their number.
  /// - Throws: ``ModelArchiveError``.
  package static func decode(_ data: Data) throws -> ModelDescription {
    if data.starts(with: Data("momv2$".utf8)) { throw ModelArchiveError.optimizedModel }
    let list: BinaryPropertyList
    do {
      list = try BinaryPropertyList(data)
    } catch {
      throw ModelArchiveError.propertyList(error)
    }
    do {
      return try ModelDecoder.decode(KeyedArchive(list))
    } catch let error as KeyedArchiveError {
      throw ModelArchiveError.notAKeyedArchive(error.problem)
    }
  }

  /// Reads `Z_MODELCACHE.Z_CONTENT`: raw DEFLATE of an archive (VH-15).
  /// - Throws: ``ModelArchiveError``.
  package static func decodeModelCache(_ deflated: Data) throws -> ModelDescription {
    do {
      return try decode(try RawDeflate.inflate(deflated, limit: maximumByteCount))
    } catch let error as RawDeflateError {
      throw ModelArchiveError.compression(error)
    }
  }

  /// The archive of a model; equal models give equal bytes.
  /// - Throws: ``ModelArchiveError/unwritable(entity:property:what:)`` for a derivation that cannot be archived. What is
  ///   not part of a version hash and cannot be archived is left out: see ``omissions(from:)``.
  ///   ``ModelArchiveError/tooLarge(entityCount:)`` for an archive that ``decode(_:)`` would refuse: in a cache every
  ///   entity repeats what it inherits.
  package static func encode(_ model: ModelDescription, as form: Form = .modelCache) throws -> Data {
    var encoder = ModelEncoder(model, as: form)
    let list = try encoder.encode()
    let data = list.objects.count <= BinaryPropertyList.Limits.objectCount ? list.encoded() : nil
    guard let data, data.count <= BinaryPropertyList.Limits.byteCount else {
      throw ModelArchiveError.tooLarge(entityCount: model.entities.count)
    }
    return data
  }

  /// The contents of `Z_MODELCACHE.Z_CONTENT` for a model (VH-15, VH-16).
  /// - Throws: ``ModelArchiveError``.
  package static func encodeModelCache(_ model: ModelDescription) throws -> Data {
    do {
      return try RawDeflate.deflate(try encode(model))
    } catch let error as RawDeflateError {
      throw ModelArchiveError.compression(error)
    }
  }

  /// What ``encode(_:as:)`` leaves out of a model, a sentence each: predicates with operators whose archived form is unknown.
  package static func omissions(from model: ModelDescription) throws -> [String] {
    var encoder = ModelEncoder(model, as: .modelCache)
    _ = try encoder.encode()
    return encoder.omissions
  }
}
