import Glibc
import Testing

@testable import SystemKit

struct UserDatabaseTests {
    @Test func rootIsFoundBothWays() throws {
        let root = try #require(try UserDatabase.user(id: 0))
        #expect(root.name == "root")
        #expect(root.group == 0)
        #expect(root.home == "/root")
        #expect(root.shell.hasPrefix("/"))
        #expect(try UserDatabase.user(name: "root") == root)
        #expect(try UserDatabase.groupID(name: "root") == 0)
    }

    @Test func unknownNamesAreNil() throws {
        #expect(try UserDatabase.user(id: 4_000_000_000) == nil)
        #expect(try UserDatabase.user(name: "no such user") == nil)
        #expect(try UserDatabase.groupID(name: "no such group") == nil)
    }

    @Test func mainGroupIsAmongTheGroups() throws {
        #expect(try UserDatabase.groups(ofUser: "root", mainGroup: 0).contains(0))
        #expect(try UserDatabase.groups(ofUser: "no such user", mainGroup: 77) == [77])
    }
}
