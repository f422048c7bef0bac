import Glibc
import Testing

@testable import SystemKit

/// A service manager's end of the notification socket.
private struct Manager: ~Copyable {
    let directory: TemporaryDirectory
    let socket: OwnedFD

    init() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/notify"
        var address = try UnixSocket.Address(path)
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        let result = address.withPointer { bind(descriptor, $0, $1) }
        precondition(result == 0)
        setenv("NOTIFY_SOCKET", path, 1)
        self.directory = directory
        socket = OwnedFD(adopting: descriptor)
    }

    /// What came, as one text.
    func next() throws -> String {
        var room = [UInt8](repeating: 0, count: 4_096)
        let count = recv(socket.rawValue, &room, room.count, Int32(MSG_DONTWAIT))
        guard count >= 0 else { return "nothing" }
        return String(decoding: room[..<count], as: UTF8.self)
    }
}

/// Each test changes the environment, so each is a process of its own.
struct ServiceNotifyTests {
    @Test func withoutASocketNobodyIsTold() async {
        await #expect(processExitsWith: .success) {
            unsetenv("NOTIFY_SOCKET")
            let wasTold = try ServiceNotify.ready()
            precondition(!wasTold)
        }
    }

    @Test func eachCallSendsItsVariables() async {
        await #expect(processExitsWith: .success) {
            let manager = try Manager()
            try check(ServiceNotify.ready(), manager.next(), "READY=1")
            try check(
                ServiceNotify.ready(status: "2 waiting"), manager.next(),
                "READY=1\nSTATUS=2 waiting")
            try check(ServiceNotify.status("idle"), manager.next(), "STATUS=idle")
            try check(
                ServiceNotify.reloading(monotonicUsec: 77), manager.next(),
                "RELOADING=1\nMONOTONIC_USEC=77")
            try check(ServiceNotify.stopping(), manager.next(), "STOPPING=1")
            try check(ServiceNotify.watchdog(), manager.next(), "WATCHDOG=1")
            try check(
                ServiceNotify.extendTimeout(usec: 5_000_000, status: "reading"), manager.next(),
                "EXTEND_TIMEOUT_USEC=5000000\nSTATUS=reading")
            try check(ServiceNotify.mainProcess(12), manager.next(), "MAINPID=12")
            try check(
                ServiceNotify.failed(code: 28, status: "full"), manager.next(),
                "ERRNO=28\nSTATUS=full")
        }
    }

    @Test func lineBreaksCannotSetOtherVariables() async {
        await #expect(processExitsWith: .success) {
            let manager = try Manager()
            try check(
                ServiceNotify.status("a\nMAINPID=1\r\nb"), manager.next(),
                "STATUS=a MAINPID=1  b")
        }
    }

    @Test func unreachableSocketIsAnError() async {
        await #expect(processExitsWith: .success) {
            setenv("NOTIFY_SOCKET", "/nowhere/notify", 1)
            do throws(SystemError) {
                try ServiceNotify.ready()
                fatalError("told nobody")
            } catch {
                precondition(
                    error == SystemError(code: ENOENT, operation: "notify the service manager"))
            }
        }
    }
}

private func check(_ wasSent: Bool, _ got: String, _ wanted: String) {
    precondition(wasSent)
    precondition(got == wanted, "got \(got)")
}
