import CZlib
import ErrorReporting
package import Foundation

/// Raw DEFLATE: the compressed bytes alone, without zlib's or gzip's header (VH-15).
package enum RawDeflate {
  /// Compresses with the parameters of Core Data's caches, so that zlib writes the same bytes as Core Data (VH-15).
  package static func deflate(_ data: Data) throws(RawDeflateError) -> Data {
    var stream = z_stream()
    let version = ZLIB_VERSION
    let size = Int32(MemoryLayout<z_stream>.size)
    // Level 5; window bits below zero ask for raw DEFLATE.
    guard deflateInit2_(&stream, 5, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, version, size) == Z_OK else {
      throw .outOfMemory
    }
    defer { deflateEnd(&stream) }
    return try run(&stream, on: data, limit: Int.max, CZlib.deflate)
  }

  /// Decompresses untrusted bytes into at most `limit` bytes. Memory grows with the actual output.
  package static func inflate(_ data: Data, limit: Int) throws(RawDeflateError) -> Data {
    var stream = z_stream()
    guard inflateInit2_(&stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      throw .outOfMemory
    }
    defer { inflateEnd(&stream) }
    return try run(&stream, on: data, limit: limit, CZlib.inflate)
  }

  private static func run(
    _ stream: inout z_stream, on data: Data, limit: Int,
    _ step: (UnsafeMutablePointer<z_stream>, Int32) -> Int32
  ) throws(RawDeflateError) -> Data {
    guard let available = UInt32(exactly: data.count) else { throw .tooLarge }
    var input = [UInt8](data)
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    var output = Data()
    let status = input.withUnsafeMutableBufferPointer { source -> Result<Void, RawDeflateError> in
      stream.next_in = source.baseAddress
      stream.avail_in = available
      while true {
        let result = chunk.withUnsafeMutableBufferPointer { target in
          stream.next_out = target.baseAddress
          stream.avail_out = UInt32(target.count)
          return step(&stream, Z_FINISH)
        }
        let produced = chunk.count - Int(stream.avail_out)
        guard produced <= limit - output.count else { return .failure(.tooLarge) }
        output.append(contentsOf: chunk[..<produced])
        switch result {
        case Z_STREAM_END: return stream.avail_in == 0 ? .success(()) : .failure(.trailingBytes)
        // A full chunk means that more output is waiting. Otherwise the input ended too early.
        case Z_OK where stream.avail_out == 0, Z_BUF_ERROR where stream.avail_out == 0: continue
        case Z_MEM_ERROR: return .failure(.outOfMemory)
        case Z_OK, Z_BUF_ERROR: return .failure(.truncated)
        default: return .failure(.corrupt)
        }
      }
    }
    try status.get()
    return output
  }
}

/// The reason why bytes could not be compressed or decompressed.
package enum RawDeflateError: String, ReportableError, Sendable, Hashable {
  case truncated = "the compressed bytes end too early"
  case corrupt = "the bytes are not raw DEFLATE"
  case trailingBytes = "there are bytes after the compressed ones"
  case tooLarge = "it decompresses to more than this program reads"
  case outOfMemory = "zlib has no memory"

  package var problem: String { rawValue }
  package var remedy: String? { nil }
}
