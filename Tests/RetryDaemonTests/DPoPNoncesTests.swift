import Testing

@testable import RetryDaemon

/// The header DPoP-Nonce (RFC 9449) of a failure as it is stored.

@Suite
struct DPoPNoncesTests {
    private let nonces = DPoPNonces()

    private func nonce(_ document: String) -> String? {
        Array(document.utf8).withUnsafeBytes { nonces.nonce(in: $0) }
    }

    @Test(arguments: [
        #"{"http":{"headers":{"DPoP-Nonce":"n"}}}"#,
        #"{"http":{"status":401,"headers":{"date":"x","dpop-nonce":"n"}}}"#,
        #"{"http":{"headers":{"DPOP-NONCE":["m","n"]}}}"#,
        #"{"http":{"headers":[["a","b"],["Dpop-Nonce","n"]]}}"#,
        #"{"http":{"headers":[{"name":"a","value":"b"},{"name":"dPoP-nOnCe","value":"n"}]}}"#,
    ])
    func isFoundInEveryFormOfHeaders(document: String) {
        #expect(nonce(document) == "n")
    }

    @Test(arguments: [
        "", "{}", "dpop-nonce", #"{"dpop-nonce":"n"}"#,
        #"{"http":{"headers":{"DPoP-Nonces":"n"}}}"#,
        #"{"http":{"headers":{"DPoP-Nonce":7}}}"#, #"{"http":{"headers":[["DPoP-Nonce"]]}}"#,
        #"{"http":{"headers":"DPoP-Nonce: n"}}"#,
    ])
    func isNotWhereItIsNone(document: String) {
        #expect(nonce(document) == nil)
    }
}
