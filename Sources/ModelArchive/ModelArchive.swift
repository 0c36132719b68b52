package import Foundation
package import ManagedModel
import PropertyLists

/// Compiled models: the keyed archive of a managed object model, as in `.mom` files and in stores (VH-15, CD-1.4).
///
/// An archive has no place for facts that only Xcode's sources state, nor for the order of entities and properties.
/// ``decode(_:)`` of ``encode(_:as:)`` returns the rest of the model, with the facts that Core Data's compiler adds.
package enum ModelArchive {
  /// The two layouts of a model's objects.
  package enum Form: Sendable, Hashable {
    /// A `.mom` file: every entity has its own properties, and the model has its entities in a plain dictionary.
    case compiledModel
    /// `Z_MODELCACHE`: entities have copies of inherited properties too, and the model's dictionary is one of known
    /// keys.
    case modelCache
  }

  /// The bound of a decompressed model. The largest cached model seen takes 362 KB.
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
  /// - Throws: ``ModelArchiveError/unwritable(entity:property:what:)`` for a derivation that cannot be archived. Other parts that
  ///   cannot be archived are not in the version hash, and are left out: see ``omissions(from:)``.
  ///   ``ModelArchiveError/tooLarge(entityCount:)`` for an archive that ``decode(_:)`` would refuse: in a cache every
  ///   entity repeats its inherited properties.
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

  /// A sentence for each part of a model that ``encode(_:as:)`` leaves out: predicates with operators of unknown
  /// archived form.
  package static func omissions(from model: ModelDescription) throws -> [String] {
    var encoder = ModelEncoder(model, as: .modelCache)
    _ = try encoder.encode()
    return encoder.omissions
  }
}
