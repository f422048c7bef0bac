import RetryModel
import RetryRules
import Testing

/// Of a chain of errors the deepest that a rule knows decides.
@Suite struct ClassifierCausesTests {
    private let judge = Judge()

    @Test func theDeepestKnownCauseDecides() throws {
        let json = """
            {"request":{"idempotent":true},"nserror":{"domain":"App","code":1,"platform":"darwin",
            "underlying":{"domain":"NSURLErrorDomain","code":-1005,
            "underlying":{"domain":"NSPOSIXErrorDomain","code":13,
            "underlying":{"domain":"Mystery","code":42}}}}}
            """
        #expect(try judge.decision(json) == "permission-denied: permanent modify-configuration")
        let explanation = try judge.explanation(json)
        #expect(explanation.causes.map(\.name) == ["Mystery 42", "NSPOSIXErrorDomain 13"])
        #expect(explanation.causes.map(\.outcome) == [.unknown, .decided])
    }

    @Test func anEchoIsSkipped() throws {
        let json = """
            {"nserror":{"domain":"NSURLErrorDomain","code":-1,"platform":"linux",
            "localized_description":"SSL certificate problem",
            "underlying":{"domain":"NSURLErrorDomain","code":-1}}}
            """
        #expect(
            try judge.decision(json) == "url-certificate-in-text: permanent modify-configuration")
        #expect(try judge.explanation(json).causes.map(\.outcome) == [.echo, .decided])
    }

    @Test func causesStandUnderSeveralNames() throws {
        let keys = ["underlying", "cause"]
        for key in keys {
            let json =
                """
                {"nserror":{"domain":"A","code":1,
                "\(key)":{"domain":"NSURLErrorDomain","code":-1009}}}
                """
            #expect(try judge.decision(json) == "url-not-connected: retry")
        }
        let info = #"{"NSUnderlyingError":{"domain":"NSURLErrorDomain","code":-1009}}"#
        #expect(
            try judge.decision(#"{"nserror":{"domain":"A","code":1,"userInfo":\#(info)}}"#)
                == "url-not-connected: retry")
        let many = #"[{"domain":"B","code":2},{"domain":"NSURLErrorDomain","code":-1009}]"#
        #expect(
            try judge.decision(#"{"nserror":{"domain":"A","code":1,"underlying":\#(many)}}"#)
                == "url-not-connected: retry")
    }

    /// The inner error may be written before the outer one's own code.
    @Test func theOrderOfMembersDoesNotMatter() throws {
        let json = """
            {"nserror":{"underlying":{"code":13,"domain":"Mystery"},
            "code":-1009,"platform":"darwin","domain":"NSURLErrorDomain"}}
            """
        #expect(try judge.decision(json) == "url-not-connected: retry")
    }

    @Test func thePlatformOfTheOuterErrorHoldsForItsCauses() throws {
        func json(_ platform: String) -> String {
            """
            {"request":{"idempotent":true},"nserror":{"domain":"A","code":1,
            "platform":"\(platform)","underlying":{"domain":"NSPOSIXErrorDomain","code":61}}}
            """
        }
        #expect(try judge.decision(json("darwin")) == "connection-refused: retry")
        #expect(try judge.decision(json("iOS 18")) == "connection-refused: retry")
        #expect(try judge.verdict(json("linux")).rule == nil)
    }

    @Test func anErrorNumberBesideTheChainIsDeeperThanIt() throws {
        let json = """
            {"errno":{"name":"EACCES","platform":"linux"},
            "nserror":{"domain":"NSURLErrorDomain","code":-1009,"platform":"linux"}}
            """
        #expect(try judge.decision(json) == "permission-denied: permanent modify-configuration")
    }

    /// Facts of a cause must not be left over for the phases that follow.
    @Test func theOuterErrorIsBackAfterItsCauses() throws {
        let rules = try ruleSet(
            """
            [[rule]]
            name = "outer"
            phase = "generic"
            when.nserror.domain = "A"
            then = "new-flow"
            """)
        let json = #"{"nserror":{"domain":"A","code":1,"underlying":{"domain":"B","code":2}}}"#
        #expect(try Judge(rules).decision(json) == "outer: new-flow")
    }

    @Test func aChainDeeperThanTheBoundIsSaidToBe() throws {
        func chain(_ depth: Int) -> String {
            depth == 0
                ? #"{"domain":"NSURLErrorDomain","code":-1009}"#
                : #"{"domain":"D\#(depth)","code":\#(depth),"underlying":\#(chain(depth - 1))}"#
        }
        // 28 levels fit into a document of depth 32.
        #expect(try judge.decision(#"{"nserror":\#(chain(28))}"#) == "url-not-connected: retry")
        let wide = (0..<40).map { #"{"domain":"D\#($0)","code":\#($0)}"# }.joined(separator: ",")
        let verdict = try judge.verdict(
            #"{"nserror":{"domain":"A","code":1,"underlying":[\#(wide)]}}"#)
        #expect(verdict.note == .tooDeep)
        #expect(verdict.action == .introspectCause)
    }
}
