package import RetryRules
import SystemKit

extension ConfigurationLoader {
    /// The rule files of one directory, and of no other: for trying rules before they are
    /// installed.
    package static func ruleFiles(
        in directory: String
    ) throws(ConfigurationError) -> [RuleSource] {
        let names: [String]
        do {
            names = try self.names(in: directory)
        } catch where error.isNotFound {
            throw ConfigurationError(file: directory, reason: "no such directory")
        } catch {
            throw unreadable(directory, error)
        }
        var files: [RuleSource] = []
        for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            let path = directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
            do {
                let bytes = try Files.readAll(path, bytesMax: fileBytesMax)
                files.append(RuleSource(path: path, tier: 0, bytes: bytes))
            } catch {
                throw unreadable(path, error)
            }
        }
        return files
    }
}
