import RetryClient
import SystemKit

/// The user a command runs as, by the user database of the host.
struct CommandAccount {
    /// Nil: the one this process is.
    var identity: CommandRunner.Identity?
    var home: String
    var shell: String
    /// Nil: the user has no entry, only a number.
    var name: String?

    private static let homeOfNobody = "/"
    private static let shellOfNobody = "/bin/sh"

    /// - Parameters:
    ///   - owner: who handed the operation over, by the kernel's word.
    ///   - group: its group at that time. It counts where the user has no entry; then there are
    ///     no supplementary groups.
    ///   - mayBecomeOthers: this process is root's.
    /// - Throws: what kept the database from being read. That the user is not in it is none.
    init(
        owner: UInt32, group: UInt32, mayBecomeOthers: Bool
    ) throws(SystemError) {
        let user = try UserDatabase.user(id: owner)
        name = user?.name
        home = user.flatMap { $0.home.isEmpty ? nil : $0.home } ?? CommandAccount.homeOfNobody
        shell = user.flatMap { $0.shell.isEmpty ? nil : $0.shell } ?? CommandAccount.shellOfNobody
        guard mayBecomeOthers else { return }
        if let user {
            identity = CommandRunner.Identity(
                user: owner, group: user.group,
                groups: try UserDatabase.groups(ofUser: user.name, mainGroup: user.group))
        } else {
            identity = CommandRunner.Identity(user: owner, group: group, groups: [group])
        }
    }
}
