import ErrorReporting
import Testing

struct ReportableErrorTests {
  private struct Failure: ReportableError {
    let problem = "the line is too long"
    var remedy: String?
    var place: String?
  }

  @Test("a message has the place, the problem and the remedy, as far as the error has them")
  func parts() {
    #expect("\(Failure())" == "the line is too long")
    #expect("\(Failure(remedy: "divide it"))" == "the line is too long — divide it")
    #expect("\(Failure(remedy: "divide it", place: "line 3"))" == "line 3: the line is too long — divide it")
    #expect(Failure(place: "line 3").placedProblem == "line 3: the line is too long")
  }
}
