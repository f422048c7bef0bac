import JSON
import RetryModel
import RetryRules
import Testing

@Suite struct RedactorTests {
    private func redacted(_ json: String) throws -> String {
        let parser = JSONParser(lengthMax: 1 << 20, depthMax: 40)
        var writer = JSONWriter()
        Redactor.write(try parser.parse(Array(json.utf8)), to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// What is expected is written with `*` for each secret taken out.
    @Test(arguments: [
        (#"{"Authorization":"Bearer abc"}"#, #"{"Authorization":"*"}"#),
        (#"{"AUTHORIZATION":"x","cookie":"a=b"}"#, #"{"AUTHORIZATION":"*","cookie":"*"}"#),
        (
            #"{"Set-Cookie":["a","b"],"proxy-authorization":"z"}"#,
            #"{"Set-Cookie":"*","proxy-authorization":"*"}"#
        ),
        (
            #"{"access_token":"x","refreshToken":"y","client_secret":"z","Password":1}"#,
            #"{"access_token":"*","refreshToken":"*","client_secret":"*","Password":"*"}"#
        ),
        (#"{"x-api-key":"k","private_key":"p"}"#, #"{"x-api-key":"*","private_key":"*"}"#),
        (
            #"{"token":{"value":"x"},"secret":null,"has_password":true}"#,
            #"{"token":"*","secret":null,"has_password":true}"#
        ),
        (
            #"[["Authorization","x"],["Accept","y"]]"#,
            #"[["Authorization","*"],["Accept","y"]]"#
        ),
        (
            #"[{"name":"Cookie","value":"x"},{"value":"y","name":"Accept"}]"#,
            #"[{"name":"Cookie","value":"*"},{"value":"y","name":"Accept"}]"#
        ),
        (#"["--password","x","--token=y"]"#, #"["--password","*","--token=*"]"#),
        (#"["-H","Authorization: Basic x"]"#, #"["-H","Authorization: *"]"#),
        (#"["-u","me:pw","-u","me"]"#, #"["-u","*","-u","me"]"#),
        (
            #"{"url":"https://u:pw@h.test/p?access_token=x&q=1#f"}"#,
            #"{"url":"https://u:*@h.test/p?access_token=*&q=1#f"}"#
        ),
        (
            #"{"body":"grant_type=password&username=u&password=p%20q&scope=s"}"#,
            #"{"body":"grant_type=password&username=u&password=*&scope=s"}"#
        ),
        (
            #"{"body":"{\"access_token\": \"abc\\\"d\", \"n\": 1}"}"#,
            #"{"body":"{\"access_token\": \"*\", \"n\": 1}"}"#
        ),
        (
            #"{"body":"{\"log\": \"{\\\"token\\\": \\\"abc\\\"}\"}"}"#,
            #"{"body":"{\"log\": \"{\\\"token\\\": \\\"*\\\"}\"}"}"#
        ),
        (
            #"{"stderr_tail":"> Authorization: Bearer abc def\n> Accept: x"}"#,
            #"{"stderr_tail":"> Authorization: *\n> Accept: x"}"#
        ),
        (
            #"{"m":"sent Bearer eyJhbGciOiJub25lIn0.e30. to it"}"#,
            #"{"m":"sent Bearer * to it"}"#
        ),
        (#"{"m":"PASSWORD = hunter2; next"}"#, #"{"m":"PASSWORD = *; next"}"#),
        (
            #"{"m":"a Bearer  abcdefghijklmnop b Bearer\tabcdefghijklmnop"}"#,
            #"{"m":"a Bearer  * b Bearer\t*"}"#
        ),
        (#"["-uuser:S","--user=user:S","-Uuser:S"]"#, #"["-u*","--user=*","-U*"]"#),
        (
            #"["-HX-Api-Key: S","-H","X-My-ApiKey: S"]"#,
            #"["-HX-Api-Key: *","-H","X-My-ApiKey: *"]"#
        ),
        (#"["-b","sid=S","-bsid=S","--cookie=a=b"]"#, #"["-b","*","-b*","--cookie=*"]"#),
        (
            #"["sh","-c","curl -u user:S --user='u:S' https://h.test -Uu:S"]"#,
            #"["sh","-c","curl -u * --user='*' https://h.test -U*"]"#
        ),
        (#"["-c","login --password S --now"]"#, #"["-c","login --password * --now"]"#),
        (
            #"{"m":"sshpass -v -p S ssh h; sshpass -pS"}"#,
            #"{"m":"sshpass -v -p * ssh h; sshpass -p*"}"#
        ),
        (#"{"url":"https://ghp_0123456789@h.test/p"}"#, #"{"url":"https://*@h.test/p"}"#),
        (
            #"{"url":"https://h.test/p?a=1&sig=S%2F&X-Amz-Signature=S#f"}"#,
            #"{"url":"https://h.test/p?a=1&sig=*&X-Amz-Signature=*#f"}"#
        ),
        (
            #"{"url":"https://h.test/?next=%2Fp%3Faccess_token%3DS%26q%3D1"}"#,
            #"{"url":"https://h.test/?next=%2Fp%3Faccess_token%3D*%26q%3D1"}"#
        ),
        (
            #"{"m":"x -----BEGIN RSA PRIVATE KEY-----\nMII\nab\n-----END RSA PRIVATE KEY-----"}"#,
            #"{"m":"x -----BEGIN RSA PRIVATE KEY-----*-----END RSA PRIVATE KEY-----"}"#
        ),
        (#"{"pwd":"S","m":"pwd=S;"}"#, #"{"pwd":"*","m":"pwd=*;"}"#),
        (#"{"m":"password:\n  S\nnext: 1"}"#, #"{"m":"password:\n  *\nnext: 1"}"#),
    ])
    func secretsAreTakenOut(json: String, expected: String) throws {
        let written = expected.split(separator: "*", omittingEmptySubsequences: false)
            .joined(separator: "[removed]")
        #expect(try redacted(json) == written)
    }

    @Test(arguments: [
        #"{"token_type":"Bearer","token_kind":"client","token_endpoint":"u"}"#,
        #"{"error":"invalid_token","error_description":"The token expired"}"#,
        #"{"grant_type":"refresh_token","subject_token_type":"x"}"#,
        #"{"oauth":{"endpoint":"token","previous_error":"invalid_token"}}"#,
        #"{"WWW-Authenticate":"Bearer realm=\"a\", error=\"invalid_token\""}"#,
        #"{"DPoP-Nonce":"n1.x"}"#, #"{"idempotency_key":"k-1"}"#,
        #"{"x-ratelimit-remaining-tokens":"0","x-ratelimit-reset-tokens":"6m0s"}"#,
        #"{"usage":{"total_tokens":512}}"#, #"{"case":"haapiTokenManagerIsClosed"}"#,
        #"{"m":"Secretary of state","n":"a password was expected","t":"unexpected token at 5"}"#,
        #"["git","checkout","-b","topic","--user=me","-u","-v","a:b"]"#,
        #"{"m":"see -----BEGIN CERTIFICATE----- and OLDPWD=/x, a signature=no, sigma=1, sshpass"}"#,
        #"{"url":"https://user@h.test/ssh://git@h","m":"password:\nnext"}"#,
        #"{"url":"https://h.test:8443/a@b?c=d"}"#, #"{"m":"x ≠ y \" \\ \n"}"#,
        #"{"a":[1,-2,2.5,true,false,null,{}]}"#, #"[18446744073709551615]"#, #""text""#, "5",
    ])
    func everythingElseSurvives(json: String) throws {
        #expect(try redacted(json) == json)
    }

    /// A stored failure must be decided like the one that was told.
    @Test func noCaseIsDecidedOtherwiseWhenItIsRedacted() throws {
        for name in ["classification", "taxonomy"] {
            let text = String(
                decoding: bytes(ofFile: treePath("Tests/RetryRulesTests/Cases/\(name).jsonl")),
                as: UTF8.self)
            let parser = JSONParser(lengthMax: 1 << 20, depthMax: 40)
            let classifier = Classifier(shippedRules)
            for line in text.split(separator: "\n") {
                let failure = try #require(try parser.parse(Array(line.utf8))["failure"])
                let verdict = classifier.classify(failure, ClassifierOptions(now: noon))
                var writer = JSONWriter()
                Redactor.write(failure, to: &writer)
                let again = classifier.classify(
                    try parser.parse(writer.bytes), ClassifierOptions(now: noon))
                #expect(again == verdict, "\(line)")
            }
        }
    }
}
