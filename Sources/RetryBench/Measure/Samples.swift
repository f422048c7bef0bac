import RetryConfig
import RetryRules
import SystemKit

/// Failures that need more than a look at a status.
enum Samples {
    /// As a sync client of a phone tells it: the cause is at the bottom.
    static let errorChain: [UInt8] = {
        var text = #"{"domain":"NSPOSIXErrorDomain","code":54,"platform":"darwin"}"#
        for depth in 1..<8 {
            let domain = depth == 1 ? "NSURLErrorDomain" : "com.example.sync.layer\(depth)"
            let code = depth == 1 ? -1005 : depth
            text =
                #"{"domain":"\#(domain)","code":\#(code),"localized_description":"#
                + #""The operation could not be completed.","underlying":\#(text)}"#
        }
        return Array(
            #"{"request":{"method":"GET","url":"https://api.example.com/v1/items"},"nserror":"#
                .utf8) + Array(text.utf8) + Array("}".utf8)
    }()

    static let refusedGrant = Array(
        """
        {"request":{"method":"POST","url":"https://login.example.com/oauth/v2/oauth-token"},\
        "oauth":{"endpoint":"token","grant_type":"refresh_token"},"http":{"status":400,"headers":\
        {"Content-Type":"application/json","Cache-Control":"no-store"},"body":\
        {"error":"invalid_grant","error_description":"The refresh token was revoked."}}}
        """.utf8)
}

/// The rules that are in the tree or installed with the programs.
enum ShippedRules {
    static func read() throws(BenchError) -> [RuleSource] {
        let path = SearchPath(directories: [SearchPath.shippedDirectory])
        do {
            return try ConfigurationLoader(searchPath: path).load().ruleFiles.map {
                RuleSource(path: $0.path, tier: $0.tier, bytes: $0.bytes)
            }
        } catch {
            throw .daemon("\(error.file):\(error.line): \(error.reason)")
        }
    }
}
