import SystemKit

/// The directories that configuration and rules are looked for in, highest first.
///
/// Order as in systemd (systemd.unit(5), "UNIT FILE LOAD PATH"): what an administrator wrote, what
/// holds until the next boot, what was installed locally, what the packages ship.
package struct SearchPath: Equatable, Sendable {
    /// The position of a directory is its tier.
    package var directories: [String]
    /// Whether the highest directory must exist, because somebody asked for it by name.
    package var isFirstRequired = false

    package init(directories: [String]) {
        self.directories = directories
    }

    /// For the system's daemon.
    ///
    /// - Parameter shipped: Where the files lie that came with the program (`shippedDirectory`).
    package static func system(shipped: String) -> SearchPath {
        SearchPath(unique: ["/etc/retryd", "/run/retryd", "/usr/local/lib/retryd", shipped])
    }

    /// For a user's daemon: the user's directory comes before the system's.
    ///
    /// - Parameter configurationHome: `$XDG_CONFIG_HOME`, by default `~/.config`.
    package static func user(configurationHome: String, shipped: String) -> SearchPath {
        SearchPath(unique: [configurationHome + "/retryd"] + system(shipped: shipped).directories)
    }

    /// For `--config DIRECTORY`: nothing of the host counts but what came with the program, so that
    /// a private directory without rules still knows what failures mean.
    package static func only(_ directory: String, shipped: String) -> SearchPath {
        var path = SearchPath(unique: [directory, shipped])
        path.isFirstRequired = true
        return path
    }

    /// Where the files lie that came with a program.
    ///
    /// A program installed as PREFIX/bin/NAME has them in PREFIX/lib/retryd. One run from the tree
    /// it was built in, TREE/.build/…/NAME, has them in TREE/config, so that nothing needs to be
    /// installed to try it.
    ///
    /// - Parameter executable: The program's own path, as /proc/self/exe names it.
    package static func shippedDirectory(executable: String) -> String {
        let parts = executable.split(separator: "/", omittingEmptySubsequences: true)
        if let build = parts.lastIndex(where: { $0.hasPrefix(".build") }) {
            return absolute(parts[..<build]) + "/config"
        }
        if parts.count >= 2, parts[parts.count - 2] == "bin" {
            return absolute(parts.dropLast(2)) + "/lib/retryd"
        }
        return "/usr/lib/retryd"
    }

    /// Where the files lie that came with this program.
    package static var shippedDirectory: String {
        shippedDirectory(executable: Executable.path ?? "")
    }

    /// A directory that stands there twice counts where it stands first.
    private init(unique directories: [String]) {
        self.directories = []
        for directory in directories where !self.directories.contains(directory) {
            self.directories.append(directory)
        }
    }

    private static func absolute(_ parts: ArraySlice<Substring>) -> String {
        parts.map { "/" + $0 }.joined()
    }
}
