import RetryRules
import SystemKit

/// Reads configuration and rules from the directories of a search path.
///
/// In each directory count `retryd.toml`, `retryd.toml.d/*.toml` and `rules.d/*.toml`. Of files
/// with the same name the one in the highest directory counts alone, and an empty one, such as a
/// link to /dev/null, means that there is none (as in systemd.unit(5)). Where nothing is found the
/// defaults hold. `retryd.toml` is read first, then the files beside it by name, each overriding
/// key by key.
package struct ConfigurationLoader {
    private let searchPath: SearchPath
    private let names: NameResolver

    /// A file nobody wrote by hand is not read into memory.
    static let fileBytesMax = 4 << 20

    package init(searchPath: SearchPath, names: NameResolver = .host) {
        self.searchPath = searchPath
        self.names = names
    }

    /// Reads everything anew: all of it, or the first thing that is wrong.
    ///
    /// Rules are read here and understood by `RetryRules`, which throws its own errors.
    package func load() throws(ConfigurationError) -> LoadedConfiguration {
        try checkRequired()
        var files: [FoundFile] = []
        if let main = try mainFile() { files.append(main) }
        files += try find(in: "retryd.toml.d").sorted { $0.name.precedes($1.name) }

        var parser = ConfigurationParser(names: names)
        for file in files { try parser.read(file.bytes, file: file.path) }
        let configuration = try parser.finish()

        let rules = try find(in: "rules.d").sorted { left, right in
            left.tier == right.tier ? left.name.precedes(right.name) : left.tier < right.tier
        }
        return LoadedConfiguration(
            configuration: configuration,
            ruleFiles: rules.map { RuleSource(path: $0.path, tier: $0.tier, bytes: $0.bytes) },
            files: files.map(\.path), warnings: parser.warnings)
    }

    private struct FoundFile {
        var path: String
        var name: String
        var tier: Int
        var bytes: [UInt8]
    }

    /// A directory that was asked for by name must be there: a slip of the pen would otherwise
    /// quietly mean the defaults.
    private func checkRequired() throws(ConfigurationError) {
        guard searchPath.isFirstRequired, let directory = searchPath.directories.first else {
            return
        }
        let status: FileStatus?
        do {
            status = try Files.status(directory)
        } catch {
            throw ConfigurationError(file: directory, reason: "\(error)")
        }
        guard let status else {
            throw ConfigurationError(
                file: directory, reason: "no such directory; make it or name another with --config")
        }
        guard status.kind == .directory else {
            throw ConfigurationError(
                file: directory, reason: "not a directory; --config takes the one of retryd.toml")
        }
    }

    private func mainFile() throws(ConfigurationError) -> FoundFile? {
        for (tier, directory) in searchPath.directories.enumerated() {
            let path = directory + "/retryd.toml"
            guard let bytes = try content(path) else { continue }
            if bytes.isEmpty { return nil }
            return FoundFile(path: path, name: "retryd.toml", tier: tier, bytes: bytes)
        }
        return nil
    }

    /// The files of a subdirectory that count, in no particular order.
    private func find(in subdirectory: String) throws(ConfigurationError) -> [FoundFile] {
        var found: [FoundFile] = []
        var seen: Set<String> = []
        for (tier, directory) in searchPath.directories.enumerated() {
            let directory = "\(directory)/\(subdirectory)"
            for name in try fileNames(directory) where seen.insert(name).inserted {
                let path = "\(directory)/\(name)"
                // Gone since it was listed: as if it had never been there.
                guard let bytes = try content(path), !bytes.isEmpty else { continue }
                found.append(FoundFile(path: path, name: name, tier: tier, bytes: bytes))
            }
        }
        return found
    }

    private func fileNames(_ directory: String) throws(ConfigurationError) -> [String] {
        do {
            return try Self.names(in: directory)
        } catch where error.isNotFound {
            return []
        } catch {
            throw Self.unreadable(directory, error)
        }
    }

    /// The files of a directory that count, in no particular order.
    static func names(in directory: String) throws(SystemError) -> [String] {
        try Files.list(directory).filter { $0.hasSuffix(".toml") && !$0.hasPrefix(".") }
    }

    /// What a file holds; nil: there is none.
    private func content(_ path: String) throws(ConfigurationError) -> [UInt8]? {
        do {
            return try Files.readRegular(path, bytesMax: Self.fileBytesMax)
        } catch where error.isNotFound {
            try refuseDanglingLink(path)
            return nil
        } catch where error.isNotRegular {
            throw ConfigurationError(
                file: path, reason: "not a regular file; to mask one, link it to /dev/null")
        } catch {
            throw Self.unreadable(path, error)
        }
    }

    /// A link to nothing is a slip: what it should bring in would quietly be missing.
    private func refuseDanglingLink(_ path: String) throws(ConfigurationError) {
        guard let status = try? Files.status(path, followLinks: false),
            status.kind == .symbolicLink
        else { return }
        throw ConfigurationError(
            file: path,
            reason: "a symbolic link to nothing; mend or remove it, or link it to /dev/null to "
                + "mask the file of that name")
    }

    static func unreadable(_ path: String, _ error: SystemError) -> ConfigurationError {
        let remedy =
            error.isPermission
            ? "; make it readable for the user that retryd runs as" : "; mend or remove it"
        return ConfigurationError(file: path, reason: error.reason + remedy)
    }
}

extension NameResolver {
    /// The users and groups of this host. One whose look-up fails counts as unknown and is told.
    package static var host: NameResolver {
        NameResolver(
            user: { name in (try? UserDatabase.user(name: name))?.id },
            group: { name in try? UserDatabase.groupID(name: name) })
    }
}

extension String {
    /// The order of bytes, the same in every locale.
    fileprivate func precedes(_ other: String) -> Bool {
        utf8.lexicographicallyPrecedes(other.utf8)
    }
}
