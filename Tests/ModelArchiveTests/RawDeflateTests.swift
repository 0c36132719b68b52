import Foundation
import Testing

@testable import ModelArchive

@Suite("Raw DEFLATE")
struct RawDeflateTests {
  @Test("VH-15: bytes come back, also none and more than one chunk", arguments: [0, 1, 1_000, 300_000])
  func roundTrip(_ count: Int) throws {
    let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    let packed = try RawDeflate.deflate(data)
    #expect(try RawDeflate.inflate(packed, limit: count) == data)
    #expect(try RawDeflate.deflate(data) == packed)
  }

  @Test("A bomb is stopped at the limit")
  func bomb() throws {
    let packed = try RawDeflate.deflate(Data(count: 50 << 20))
    #expect(packed.count < 100_000)
    #expect(throws: RawDeflateError.tooLarge) { try RawDeflate.inflate(packed, limit: 1 << 20) }
  }

  @Test("Bytes cut off anywhere, foreign bytes and a tail are errors")
  func damaged() throws {
    let packed = try RawDeflate.deflate(Data("a model in a store, a model in a store".utf8))
    for count in 0..<packed.count {
      #expect(throws: RawDeflateError.truncated) { try RawDeflate.inflate(packed.prefix(count), limit: 1_000) }
    }
    #expect(throws: RawDeflateError.corrupt) { try RawDeflate.inflate(Data([0xFF, 0xFF]), limit: 1_000) }
    #expect(throws: RawDeflateError.trailingBytes) { try RawDeflate.inflate(packed + [0], limit: 1_000) }
  }
}
