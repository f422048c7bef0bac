import Glibc
import Testing

@testable import SystemKit

struct SystemErrorTests {
    @Test func descriptionNamesTheOperationAndTheReason() {
        let error = SystemError(code: EACCES, operation: "open /x/y")
        #expect("\(error)" == "open /x/y: Permission denied")
        #expect(error.isPermission)
        #expect(!error.isNotFound)
    }

    @Test func unknownCodeIsShownAsANumber() {
        #expect(SystemError.reason(4_095) == "Unknown error 4095")
    }

    @Test func disconnectIsEitherWayOfLosingThePeer() {
        #expect(SystemError(code: EPIPE, operation: "send").isDisconnect)
        #expect(SystemError(code: ECONNRESET, operation: "receive").isDisconnect)
        #expect(!SystemError(code: EIO, operation: "send").isDisconnect)
    }
}
