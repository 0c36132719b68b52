import TestSupport
import Testing

@testable import ToolConsole

@Suite("Progress bar") struct ProgressBarTests {
  @Test("A bar has one width, whatever the share") func widths() throws {
    #expect(Progress.bar(-1) == nil)
    #expect(Progress.bar(0) == "[                    ]   0 %")
    #expect(Progress.bar(430) == "[########            ]  43 %")
    #expect(Progress.bar(1000) == "[####################] 100 %")
    #expect(Progress.bar(2000) == Progress.bar(1000))
  }
}
